import Scripting

/// What the runner says, on standard error.
struct Report: Sendable {
  let style: Style
  let isQuiet: Bool
  let isVerbose: Bool

  func error(_ text: String) {
    Terminal.error("raclette: \(style.error("error")): \(text)\n")
  }

  /// A failure in one line; what the process said, if nobody saw it; and with `-v` the script's
  /// frames.
  func failure(_ failure: Failure) {
    error(failure.command.map { "\($0): \(failure.message)" } ?? failure.message)
    if failure.hidesStandardError, let stderr = failure.stderr {
      Terminal.error(indent(stderr))
    }
    if isVerbose, let traceback = failure.traceback {
      Terminal.error(style.faint(traceback) + "\n")
    }
  }

  func interrupted(children: Int) {
    guard !isQuiet else { return }
    let what = children == 0 ? "cleaning up" : "waiting for \(children) to end"
    Terminal.error("raclette: interrupted, \(what); press Ctrl-C again to force\n")
  }

  func log(_ level: LogLevel, _ text: String) {
    switch level {
    case .debug: if isVerbose { Terminal.error(style.faint("debug: \(text)") + "\n") }
    case .info: if !isQuiet { Terminal.error("\(text)\n") }
    case .warn: Terminal.error("\(style.warning("warning")): \(text)\n")
    case .error: Terminal.error("\(style.error("error")): \(text)\n")
    }
  }

  func note(_ text: String) {
    if isVerbose { Terminal.error(style.faint("raclette: \(text)") + "\n") }
  }

  private func indent(_ text: String) -> String {
    text.split(separator: "\n").map { "  \($0)\n" }.joined()
  }
}
