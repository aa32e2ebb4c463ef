import Platform
import Scripting

/// Writes the runner's messages to standard error.
package struct Report: Sendable {
  package let style: Style
  package let isQuiet: Bool
  package let isVerbose: Bool
  /// True if failures are also written as GitHub annotations.
  package var isGitHub = false

  package init(style: Style, isQuiet: Bool, isVerbose: Bool, isGitHub: Bool = false) {
    self.style = style
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
    self.isGitHub = isGitHub
  }

  /// The report that the options of a line ask for.
  package init(_ line: CommandLine) {
    self.init(
      style: Style(option: line.color, descriptor: STDERR_FILENO),
      isQuiet: line.has(.quiet) || line.isForAgents, isVerbose: line.has(.verbose),
      isGitHub: environment("GITHUB_ACTIONS") == "true")
  }

  /// Writes a plain line.
  package func say(_ text: String) {
    if !isQuiet { Terminal.error("raclette: \(shown(text))\n") }
  }

  /// Writes a line that the user requested.
  func answer(_ text: String) {
    Terminal.error("raclette: \(shown(text))\n")
  }

  package func error(_ text: String) {
    Terminal.error("raclette: \(style.error("error")): \(shown(text))\n")
  }

  /// Writes a failure in one line, then the output of the process if it was not shown, and with
  /// `-v` the stack frames of the script.
  ///
  /// - Parameter place: the place in the plan that requested the work, with a colon.
  package func failure(_ failure: Failure, at place: String? = nil) {
    error((place.map { "\($0) " } ?? "") + failure.line)
    if isGitHub { Terminal.error(failure.annotation) }
    hiddenErrors(of: failure)
    if isVerbose, let traceback = failure.traceback {
      Terminal.error(style.faint(shown(traceback)) + "\n")
    }
  }

  /// Writes the captured standard error of a process.
  func hiddenErrors(of failure: Failure) {
    if failure.hidesStandardError, let stderr = failure.stderr { Terminal.error(indent(stderr)) }
  }

  func interrupted(by signal: Int32) { say(interruption(by: signal)) }

  func interrupted(by signal: Int32, waitingFor children: Int, and services: [String]) {
    let what =
      switch children {
      case 0 where !services.isEmpty: "waiting for \(services.joined(separator: ", ")) to end"
      case 0: "cleaning up"
      case 1: "waiting for a process to end"
      default: "waiting for \(children) processes to end"
      }
    let force = signal == SIGINT ? "; press Ctrl-C again to kill" : ""
    say("\(interruption(by: signal)), \(what)\(force)")
  }

  private func interruption(by signal: Int32) -> String {
    switch signal {
    case SIGINT: "interrupted"
    case SIGTERM: "terminated"
    default: "hung up"
    }
  }

  package func log(_ level: LogLevel, _ text: String) {
    switch level {
    case .debug: if isVerbose { Terminal.error(style.faint("debug: \(shown(text))") + "\n") }
    case .info: if !isQuiet { Terminal.error("\(shown(text))\n") }
    case .warn: Terminal.error("\(style.warning("warning")): \(shown(text))\n")
    case .error: Terminal.error("\(style.error("error")): \(shown(text))\n")
    }
  }

  package func note(_ text: String) {
    if isVerbose { Terminal.error(style.faint("raclette: \(shown(text))") + "\n") }
  }

  /// Writes a process or a step that starts, as it could be typed.
  package func echo(_ text: String, of command: String?) {
    note((command.map { "\($0): " } ?? "") + "$ " + text)
  }

  /// Masks secrets in a text before making control characters visible.
  private func shown(_ text: String) -> String { Secrets.masked(text).visibleInMessage }

  private func indent(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { "  \($0)\n" }.joined()
  }
}

extension Failure {
  /// The workflow command with which GitHub shows the failure beside the code.
  fileprivate var annotation: String {
    var properties: [String] = []
    if let (file, line) = place { properties += ["file=\(file)", "line=\(line)"] }
    if let name = outer ?? command { properties.append("title=\(Self.escaped(name, ":,"))") }
    let list = properties.isEmpty ? "" : " " + properties.joined(separator: ",")
    return "::error\(list)::\(Self.escaped(text, ""))\n"
  }

  /// The file and line, from the position or from the beginning of the message, which may be the text of
  /// a command.
  private var place: (file: String, line: Int)? {
    let parts = (position ?? message).split(separator: ":", maxSplits: 2)
    guard parts.count >= 2, let line = Int(parts[1]) else { return nil }
    let file = String(parts[0])
    return position != nil || access(file, F_OK) == 0 ? (file, line) : nil
  }

  private static func escaped(_ text: String, _ more: String) -> String {
    text.unicodeScalars.map { scalar in
      guard "%\r\n".unicodeScalars.contains(scalar) || more.unicodeScalars.contains(scalar) else {
        return String(scalar)
      }
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "%" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }

  /// The text, preceded by the name of the command unless the message contains a position.
  fileprivate var line: String {
    guard let name = outer ?? call ?? command, !name.isEmpty, kind != .notEnabled else {
      return message
    }
    let place = name.hasPrefix("command at ") ? name.dropFirst("command at ".count) : ""
    return !place.isEmpty && message.hasPrefix("\(place):") ? message : "\(name): \(text)"
  }
}
