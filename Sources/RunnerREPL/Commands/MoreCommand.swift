import LineEditor
import LuaRuntime
import Platform
import RunnerCore
import Scripting

extension Repl {
  /// Shows all of a value: of an expression, or the last one. What exceeds the screen goes to the
  /// pager, which shows it by pages and searches in it.
  func showMore(_ text: String) {
    if let text = wholeText(of: text) { page(text) }
  }

  /// Shows all of a value in place.
  func showAll(_ text: String) {
    if let text = wholeText(of: text) { printer.show(text) }
  }

  /// The text of all of a value: of an expression, or the last one; nil after an error or Ctrl-C.
  private func wholeText(of expression: String) -> String? {
    var value = workspace.environment.variable("_") ?? .nil
    if !expression.isEmpty {
      guard let function = function(of: Array(expression.utf8)), let results = evaluate(function)
      else { return nil }
      value = results.last ?? .nil
    }
    let text = values.whole.text(of: value)
    guard KeyboardInterrupt.take() else { return text }
    printer.note("interrupted")
    return nil
  }

  /// Gives scripts the function `pp`, which prints all of its arguments at all levels, each on lines
  /// of its own.
  func installPrinting() {
    let interpreter = workspace.host.interpreter
    let globals = workspace.environment.globals
    _ = interpreter.withStack { stack in
      stack.push(globals)
      stack.pushFunctions([
        (
          "pp",
          { [unowned self] call in
            let format = values.whole
            for index in 0..<call.count {
              let text = format.text(of: call.value(at: index + 1))
              if KeyboardInterrupt.hasCome { break }
              printer.show(text)
            }
            return .none
          }
        )
      ])
      stack.rawGet("pp", at: -1)
      stack.rawSet("pp", at: -3)
    }
  }

  private func page(_ text: String) {
    let size = TerminalSize(of: STDOUT_FILENO)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard editor.hasCursor, lines.count >= size.rows || text.utf8.count > size.rows * size.columns,
      case .success(let path) = TemporaryText.make(text + "\n", suffix: ".txt")
    else { return printer.show(text) }
    defer { unlink(path) }
    // Less shows colours only if it is told to.
    setenv("LESS", "FRX", 0)
    let pager = environment("PAGER") ?? "less"
    if !TerminalProgram.run(pager, on: path, session) { printer.show(text) }
  }
}
