import EventLoop
import Platform

/// Receives what a process prints after it was asked to end, when nothing takes its values any more: the
/// record of the service that it is a part of, or the host. Confined to the loop's thread.
final class LateOutput {
  private unowned(unsafe) let host: ScriptHost
  private let options: ProcessOptions
  private let execution: ScriptExecution?
  /// The service whose record goes on to the end of its processes.
  private let service: ScriptServiceWork?
  /// True if the process was ended from outside: otherwise its output was no longer needed.
  private let isShown: Bool
  /// The number of lines that the host still gets.
  private var lines = 100
  private var pieces = SecretPieces()

  init(
    _ host: ScriptHost, _ options: ProcessOptions, _ execution: ScriptExecution?, isShown: Bool
  ) {
    (self.host, self.options, self.execution, self.isShown) = (host, options, execution, isShown)
    service = execution?.serviceAround
  }

  /// The service that prints what its processes print: what it has no use for is not its output.
  private var printer: ScriptServiceWork? { isShown ? service : nil }

  /// True if it takes a line of standard output.
  var takesLines: Bool { printer != nil || lines > 0 }

  func add(line: UnsafeRawBufferPointer) {
    if let printer { return printer.wroteLate(line) }
    guard lines > 0 else { return }
    lines -= 1
    guard isShown, host.policy.takesLateOutput() else {
      return host.log(.debug, "\(options.words[0]) while it ends: \(String(exactly: line))")
    }
    (Array(line) + [10]).withUnsafeBytes(show)
  }

  /// Adds a piece of output that standard error comes with.
  func add(joined text: UnsafeRawBufferPointer) { pieces.add(text, show) }

  /// Adds standard error that was captured and that no error contains.
  func add(captured bytes: [UInt8]) {
    guard isShown || service != nil, let last = bytes.last else { return }
    (last == 10 ? bytes : bytes + [10]).withUnsafeBytes(show)
  }

  func finish() { pieces.finish(show) }

  private func show(_ text: UnsafeRawBufferPointer) {
    if let service { return service.wroteErrors(text) }
    guard host.policy.takesLateOutput() else { return }
    host.observers.wroteErrors(text, of: execution?.origin)
  }
}
