import Commands
import LuaRuntime
import Platform
import Reactive

extension Library {
  static let commandFunctions: [APIFunction] = [
    APIFunction(
      "command", needs: [],
      [
        .required(
          "definition",
          .either(
            .table("rac.CommandDefinition"),
            .either(.callback("fun(input: any): rac.Signal<any>"), .signal(of: "boolean"))),
          mistake: meantName),
        .optional("signal_block", .callback("fun(input: any): rac.Signal<any>")),
      ],
      returns: .object(.command),
      "Defines a command with a table, or makes an anonymous one from a signal block, with or without a preceding `enabled` condition.",
      example: """
        local greet = rac.command{
          name = "greet", params = {{name = "whom", default = "world"}},
          run = function(input) return "hello " .. input.whom end,
        }
        print(greet:execute{whom = "Lua"}:first())

        local double = rac.command(function(input) return rac.just(input * 2) end)
        print(double:execute(21):first())
        --> hello Lua, 42
        """
    ) { call in
      let definition = CommandDefinition(call)
      guard call.stack.type(at: 1) == .table else { return try definition.pushFromBlock() }
      do {
        return try call.host.keepingDefinition(at: 1, on: call.stack) {
          try definition.pushFromTable()
        }
      } catch {
        guard let report = call.host.reportMistake else { throw call.host.placed(error) }
        report(call.host.problem(error))
        return try definition.pushPlaceholder()
      }
    },
    APIFunction(
      "defaults", needs: [], [.required("keys", .table("rac.Defaults"))],
      "Sets defaults for the commands below it in this file. Later calls add to them; `false` removes a key, here and in a command. Variables in `env` accumulate. The defaults do not apply to included files.",
      example: """
        rac.defaults{env = {STAGE = "test"}, shell = {"bash", "-euo", "pipefail", "-c"}}
        local show = rac.command{name = "show", run = "echo $STAGE in ${BASH##*/}"}
        print(show:execute():first())
        rac.defaults{env = false, shell = false}
        --> test in bash
        """
    ) { call in
      do { try FileDefaults.add(call) } catch {
        guard let report = call.host.reportMistake else { throw error }
        report(call.host.problem(error))
      }
      return .none
    },
  ]
}

extension ScriptHost {
  /// Returns the problem of a definition, prefixed with its position.
  func problem(_ error: any Error) -> String {
    "\(placeOfDefinition() ?? "?"): \(problemText(error))"
  }

  /// Returns the problem of a definition alone.
  func problemText(_ error: any Error) -> String {
    if case LuaArgumentError.value(_, let problem) = error { problem } else { "\(error)" }
  }

  /// Returns the error of a definition at its place, rather than at that of a function that makes it.
  fileprivate func placed(_ error: any Error) -> any Error {
    guard let place = placeOfDefinition(), place != placeOfCall() else { return error }
    if let error = error as? APIUsageError { return error.error(at: place) }
    guard case LuaArgumentError.value(let position, let problem) = error else { return error }
    return LuaError("\(place): bad argument #\(position) to 'command' (\(problem))")
  }
}

/// The hint for a name in front of the definition; nil for anything else.
private func meantName(_ call: APICall) -> String? {
  guard call.stack.type(at: 1) == .string, let name = call.value(at: 1).stringValue?.exactText
  else { return nil }
  return "table expected, got string; did you mean rac.command{name = \(LuaLiteral.text(name)), …}?"
}
