import LuaRuntime
import Platform
import Scripting

/// Reports what the hosts of a session tell, as far as no other observer shows it. On the loop's
/// thread.
final class SessionObserver: HostObserver, StartObserver {
  private let report: Report
  private let output: ValueOutput
  /// The first failure that nobody has handled.
  private(set) var firstUnhandled: Failure?

  init(_ report: Report, _ output: ValueOutput) {
    self.report = report
    self.output = output
  }

  func hostWroteErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) -> Bool {
    Terminal.error(bytes: bytes)
    return true
  }

  func hostDeliveredOutput() { output.flush() }

  func hostLogged(_ level: LogLevel, _ text: String) { report.log(level, text) }

  func hostHasSecrets(_ host: ScriptHost) -> Bool {
    Terminal.takeOutput(of: host)
    return true
  }

  func hostLeftUnhandled(_ failure: Failure) -> Bool {
    firstUnhandled = firstUnhandled ?? failure
    report.failure(failure)
    return true
  }

  func hostWaits(_ description: String) { report.say(description) }

  func hostWaits(_ contention: Contention) {
    if contention.isFirst { report.say("'\(contention.command)' \(contention.text)") }
  }

  func hostBeginsWork(
    of command: ScriptCommand, within origin: Int, because changes: [UpToDateChange]
  ) {
    if !changes.isEmpty { report.note("\(command.name) is executed: \(changes.firstOfAll)") }
  }

  func hostStarts(_ text: String, for command: String?) { report.echo(text, of: command) }
}

extension Terminal {
  /// Writes what the code of a host prints, and sends to standard error by `io.stderr`, in place of
  /// Lua's library, which knows neither secrets nor a writer in the background.
  package static func takeOutput(of host: ScriptHost) {
    // If there is no memory for the redirection, printing is impossible.
    try? host.interpreter.redirectOutput(byLine: false) { stream, bytes in
      switch stream {
      case .output: printed(bytes)
      case .errors: printed(errors: bytes)
      }
    }
  }
}
