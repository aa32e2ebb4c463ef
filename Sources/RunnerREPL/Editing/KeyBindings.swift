import LineEditor
import LuaRuntime
import RunnerCore
import Scripting

/// The table `repl`, with which the start-up file sets the keys of the editor.
///
/// ```lua
/// repl.keys("vi")
/// repl.bind("C-t", "transpose-words")
/// repl.bind("C-x C-p", function(buffer) buffer.text = "print(" .. buffer.text .. ")" end)
/// ```
final class KeyBindings {
  /// Nil where no line is edited: in a pipe, and at a terminal without a cursor. The functions do
  /// nothing there, as the same file starts every session.
  private let editor: Editor?
  private var functions: [String: LuaReference] = [:]

  init(_ editor: Editor?) { self.editor = editor }

  /// Installs the table in an interpreter, and forgets the functions of the previous one.
  func install(in environment: SessionEnvironment, _ interpreter: LuaInterpreter) {
    functions = [:]
    _ = interpreter.withStack { stack in
      stack.push(environment.globals)
      stack.pushFunctions([
        ("bind", { [unowned self] call in try bind(call) }),
        ("keys", { [unowned self] call in try useKeys(call) }),
      ])
      stack.rawSet("repl", at: -2)
    }
  }

  private func bind(_ call: LuaCall) throws -> LuaOutcome {
    guard let editor else { return .none }
    let name = try call.string(at: 1)
    guard let keys = Key.sequence(named: name) else {
      throw LuaArgumentError.value(
        at: 1,
        problem: "'\(name)' is not a key; keys are written as 'C-t', 'M-Left' or 'C-x C-e'")
    }
    switch call.value(at: 2) {
    case .string(let action):
      guard let command = EditorCommand(rawValue: action.description) else {
        let names = EditorCommand.allCases.map(\.rawValue)
        throw LuaArgumentError.value(
          at: 2,
          problem: "the editor has no command '\(action)'" + didYouMean("\(action)", among: names))
      }
      editor.keymap.bind(keys, to: .command(command))
    case .reference(let function) where function.type == .function:
      functions[name] = function
      editor.keymap.bind(keys, to: .custom(name))
    default: throw LuaArgumentError.type(at: 2, expected: "function or name of a command")
    }
    return .none
  }

  private func useKeys(_ call: LuaCall) throws -> LuaOutcome {
    guard let editor else { return .none }
    switch try call.string(at: 1) {
    case "vi": editor.hasViKeys = true
    case "emacs": editor.hasViKeys = false
    case let name:
      throw LuaArgumentError.value(at: 1, problem: "'\(name)' is neither 'emacs' nor 'vi'")
    }
    return .none
  }

  /// Calls the function of a binding with the entry: `text`, and `cursor`, the number of bytes
  /// before the cursor. The values that it leaves there become the entry.
  func execute(_ name: String, _ interpreter: LuaInterpreter) throws {
    guard let editor, let function = functions[name] else { return }
    let before = editor.buffer.textBeforeCursor.utf8.count
    let table: LuaValue =
      interpreter.withStack { stack in
        stack.newTable(fields: 2)
        stack.set("text", .string(LuaString(Array(editor.buffer.text.utf8))), at: -1)
        stack.set("cursor", .integer(Int64(before)), at: -1)
        return stack.value(at: -1)
      } ?? .nil
    try interpreter.call(.reference(function), [table])
    let entry: (text: String?, cursor: Int64?)? = interpreter.withStack { stack in
      stack.push(table)
      stack.rawGet("text", at: -1)
      let text = stack.string(at: -1)
      stack.pop()
      stack.rawGet("cursor", at: -1)
      return (text, stack.integer(at: -1))
    }
    guard let entry, let text = entry.text else { return }
    editor.replaceText(text, cursorAfter: entry.cursor.map { Int(clamping: $0) } ?? text.utf8.count)
  }
}
