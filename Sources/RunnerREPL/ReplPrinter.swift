import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// Writes a session's output: values to standard output, everything else to standard error.
struct ReplPrinter: Sendable {
  let output: ValueOutput
  let values: Style
  let notes: Style

  /// Writes a text of one or more lines.
  func show(_ text: String) {
    output.write(text + "\n")
  }

  /// Writes a text that a command or a job sends. At a terminal, sequences that would move the
  /// cursor or change modes are removed or made visible; elsewhere the bytes stay as they are.
  func showOutput(_ text: String) {
    show(isTerminal ? BackgroundText.harmless(text.repaired) : text)
  }

  private var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes a remark.
  func note(_ text: String) {
    Terminal.error(notes.faint(text.visible) + "\n")
  }

  func error(_ text: String) {
    Terminal.error("\(notes.error("error")): \(text.visible)\n")
  }

  /// A failure in one line, the captured standard error of its process, and the frames that led there if
  /// they tell more than the message.
  ///
  /// - Parameter message: shown as it is, in place of the failure's text.
  func failure(_ failure: Failure, prefix: String = "", message: String? = nil) {
    let text = message ?? failure.text.visible
    Terminal.error("\(prefix)\(notes.error("error")): \(text)\n")
    if failure.hidesStandardError, let stderr = failure.stderr {
      Terminal.error(stderr.split(separator: "\n").map { "  \($0)\n" }.joined())
    }
    let frames = Self.frames(of: failure.traceback)
    if frames.count > 1 { Terminal.error(notes.faint(frames.joined(separator: "\n")) + "\n") }
  }

  /// The lines of a traceback from the script itself.
  private static func frames(of traceback: String?) -> [String] {
    let lines = (traceback ?? "").split(separator: "\n").dropFirst()
    return lines.compactMap { line -> String? in
      let frame = line.drop { $0 == "\t" || $0 == " " }
      if frame.hasPrefix("[repl]") || frame.hasPrefix("[C]") || frame == "(...tail calls...)" {
        return nil
      }
      return "  " + frame.replacing("in local 'line'", with: "in the line")
    }
  }
}
