import LuaRuntime
import Platform

/// The input of a command as its lines and programs receive it. The text of a line never changes
/// with the input, so that no value is taken for code of the shell.
extension ScriptCommand {
  /// Returns the working context of an execution that begins now for a caller, or of a question about
  /// one: each process has the parameters as variables.
  ///
  /// - Throws: `Failure` for a file of variables that cannot be read.
  func place(
    with input: LuaValue, for caller: CallerEnvironment
  ) throws(Failure) -> ProcessContext {
    var place = try description.environment.place(
      for: caller, isService: description.service != nil)
    place.variables += variables(of: input)
    place.name = name
    if parameters.last?.isRest == true { place.rest = restWords(of: input) }
    return place
  }

  /// Returns the variables that hold the parameters: each has its parameter's name, with `_` for
  /// `-`. The variable of a parameter without a value is removed, that of a false one is empty, so
  /// that `${flag:+--flag}` works. That of the rest parameter has all words behind blanks, unless that
  /// is more than the system takes; `"$@"` keeps them apart.
  private func variables(of input: LuaValue) -> [EnvironmentChange] {
    // The recipe of another tool sees what that tool gives it.
    guard !parameters.isEmpty, description.work?.arguments == nil else { return [] }
    let fields = host.fields(of: input) ?? []
    return parameters.map { parameter in
      if parameter.isRest {
        let words = Array(restWords(of: input).joined(separator: [UInt8(ascii: " ")]))
        return (parameter.variable, words.count < Self.longestVariable ? words : nil)
      }
      let value = fields.first { $0.name == parameter.name }?.value ?? .nil
      return (
        parameter.variable,
        value.boolValue.map { Array(($0 ? "true" : "").utf8) } ?? value.argumentBytes
      )
    }
  }

  /// The system takes texts of 128 KiB, with the variable's name.
  private static let longestVariable = 100 << 10

  /// Returns the process of a step that is not a function: a line has its command's name as `$0`; it
  /// and a script have the words of the rest parameter as their arguments.
  func process(
    of step: CommandWork.Step, in work: CommandWork, _ input: LuaValue
  ) -> ProcessOptions {
    let rest = restWords(of: input)
    switch step {
    case .function, .command: return ProcessOptions(argv: [])
    case .line(let line):
      let shell = description.environment.shell ?? .ofDefinitions
      var options = ProcessOptions(argv: shell.words + [line])
      options.text = .line(line)
      options.arguments = shell.arguments(name: name, rest)
      return options
    case .script(var script):
      script.place = position
      var options = ProcessOptions(argv: script.interpreter)
      options.text = .script(script)
      options.arguments = rest
      return options
    case .program(let words):
      if let arguments = work.arguments {
        return ProcessOptions(argv: words + arguments.words(value: value(in: input), rest: rest))
      }
      return ProcessOptions(argv: words + (work.isList ? [] : rest))
    }
  }

  /// Returns the steps of its work as they could be typed; nothing for a single function.
  public func stepsText(with input: LuaValue) -> [String] {
    guard let work = description.work, work.isList || work.isWithoutFunctions else { return [] }
    return work.steps.map { step in
      switch step {
      case .function(let position):
        "function at \(host.placeOfFunction(function(at: position)) ?? "?")"
      case .command(let need): "raclette \(need.text(host))"
      case .line, .script, .program: process(of: step, in: work, input).typed
      }
    }
  }

  /// Returns the same with the call of each step that executes a command.
  package func plannedSteps(with input: LuaValue) -> [(text: String, call: Plan.Call?)] {
    let texts = stepsText(with: input)
    guard let work = description.work, work.steps.count == texts.count else { return [] }
    return zip(texts, work.steps).map { text, step in
      guard case .command(let need) = step else { return (text, nil) }
      // A plan has refused what cannot be called.
      return (text, try? call(for: need, as: .executed))
    }
  }

  /// The commands that its work executes as steps.
  var stepCalls: [Need] { description.work?.calls ?? [] }

  /// Returns a function that looks for the value of a parameter as a word; an empty one is false.
  private func value(in input: LuaValue) -> (String) -> [UInt8]? {
    let fields = host.fields(of: input) ?? []
    return { name in
      guard let value = fields.first(where: { $0.name == name })?.value else { return nil }
      return value.boolValue.map { Array(($0 ? "true" : "").utf8) } ?? value.argumentBytes
    }
  }

  /// Returns the words of the rest parameter, or all that are not named of a command that accepts any.
  private func restWords(of input: LuaValue) -> [[UInt8]] {
    if takesAnyInput { return (host.elements(of: input) ?? []).compactMap(\.argumentBytes) }
    guard let parameter = parameters.last, parameter.isRest,
      let list = host.fields(of: input)?.first(where: { $0.name == parameter.name })?.value
    else { return [] }
    return (host.elements(of: list) ?? []).map { value in
      value.argumentBytes ?? Array(value.description.utf8)
    }
  }
}

extension Parameter {
  /// The name of the variable that holds its value in a line.
  var variable: String {
    // Most names have none; each execution asks for all.
    name.utf8.contains(UInt8(ascii: "-")) ? String(name.map { $0 == "-" ? "_" : $0 }) : name
  }
}

extension ScriptHost {
  /// Returns the elements of a list; nil for any value but a table.
  func elements(of value: LuaValue) -> [LuaValue]? {
    guard value.type == .table else { return nil }
    return interpreter.withStack { stack in
      stack.push(value)
      return TableFields(stack, at: -1).elements
    }
  }
}
