import LuaRuntime
import Platform
import Scripting

/// Standard output as the place of values; a failure is told once and ends the run. On the main
/// thread.
final class ValueOutput: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  /// Whether something could not be written.
  private(set) var hasFailed = false
  /// Whether there was a value that has no text.
  private(set) var hasUnprintable = false

  /// The interpreter whose values these are.
  var host: ScriptHost
  private let report: Report

  init(_ host: ScriptHost, _ report: Report) {
    self.host = host
    self.report = report
  }

  /// Calls `body` with values as they are written, secrets masked: lines with their newlines, once for
  /// those that came in one piece, and chunks.
  func withLines(of values: SentValues, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard !hasFailed, !BrokenPipeHandler.isBroken else { return }
    if case .batch(let batch as TextBatch) = values {
      return batch.text.withUnsafeBytes { Secrets.masked($0)?.withUnsafeBytes(body) ?? body($0) }
    }
    values.forEach { withLine(of: $0, body) }
  }

  private func withLine(of value: LuaValue, _ body: (UnsafeRawBufferPointer) -> Void) {
    do { try host.withOutput(of: value, body) } catch {
      report.error("cannot print a value: \(error)")
      hasUnprintable = true
    }
  }

  /// Writes a text.
  func write(_ text: String) {
    text.withExactBytes { write($0, Terminal.output(bytes:)) }
  }

  /// Writes bytes in which secrets have been masked; those of one chunk of a process's output leave
  /// together.
  func write(masked bytes: UnsafeRawBufferPointer) {
    write(bytes, Terminal.output(masked:))
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer, _ output: (UnsafeRawBufferPointer) -> Int32
  ) {
    guard !hasFailed, !BrokenPipeHandler.isBroken else { return }
    let problem = output(bytes)
    if problem != 0 { return stop(problem) }
    if !host.isDeliveringOutput { flush() }
  }

  /// Writes what waits in the buffer.
  func flush() {
    guard !hasFailed, !BrokenPipeHandler.isBroken else { return }
    let problem = Terminal.flushValues()
    if problem != 0 { stop(problem) }
  }

  /// Says once that values cannot be written.
  ///
  /// - Returns: whether that was news. A reader that has seen enough is none; the signal that comes
  ///   with it ends the run.
  @discardableResult
  func lose(_ problem: Int32) -> Bool {
    guard !hasFailed, problem != EPIPE, !BrokenPipeHandler.isBroken else { return false }
    hasFailed = true
    report.error(OutputError(code: problem).description)
    return true
  }

  private func stop(_ problem: Int32) {
    // As a signal does, Lua code that never looks up included.
    if lose(problem) { raise(SIGTERM) }
  }
}
