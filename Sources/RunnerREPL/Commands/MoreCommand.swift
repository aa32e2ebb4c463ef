import LineEditor
import LuaRuntime
import Platform
import RunnerCore
import Scripting

extension Repl {
  /// Shows all of a value: of an expression, or the last one. What exceeds the screen goes to the
  /// pager.
  func showMore(_ text: String) {
    var value = workspace.environment.variable("_") ?? .nil
    if !text.isEmpty {
      guard let function = function(of: Array(text.utf8)), let results = evaluate(function) else {
        return
      }
      value = results.last ?? .nil
    }
    var format = values
    format.limits = .generous
    page(format.text(of: value))
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
