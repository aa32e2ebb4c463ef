import LuaRuntime
import Platform
import Scripting
import Synchronization

/// The writer of values to standard output; reports a failure once, which ends the run. On the main
/// thread.
package final class ValueOutput: Sendable {
  private let failed = Atomic<Bool>(false)
  private let unprintable = Atomic<Bool>(false)
  private let owner: LoopBound<Owner>
  private let report: Report

  private final class Owner {
    var host: ScriptHost?
  }

  /// Makes a writer, which needs a host before the first value.
  package init(_ report: Report) {
    owner = LoopBound(Owner())
    self.report = report
  }

  /// True if a write failed.
  var hasFailed: Bool { failed.load(ordering: .relaxed) }

  /// True if a value had no text.
  var hasUnprintable: Bool { unprintable.load(ordering: .relaxed) }

  /// The interpreter that owns the values.
  var host: ScriptHost {
    guard let host = owner.value.host else { preconditionFailure("values of no interpreter") }
    return host
  }

  /// Writes the values of an interpreter from now on.
  func use(_ host: ScriptHost) { owner.value.host = host }

  /// Calls `body` with the values of an execution in their written form, with secrets masked: lines
  /// with their newlines, one call for those that arrived in one piece, and chunks.
  ///
  /// - Parameter begun: what was already written of the first line.
  func withLines(
    of values: SentValues, _ record: ExecutionRecord, behind begun: ArraySlice<UInt8> = [],
    _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    guard !hasFailed, !BrokenPipeHandler.isBroken else { return }
    if case .batch(let batch as TextBatch) = values {
      return batch.text.withUnsafeBytes { text in
        let rest = remainder(of: text, behind: begun)
        Secrets.masked(rest)?.withUnsafeBytes(body) ?? body(rest)
      }
    }
    var begun = begun
    values.forEach { value in
      if !begun.isEmpty, case .string(let string) = value {
        let rest = string.withUnsafeBytes { Array(remainder(of: $0, behind: begun)) + [10] }
        begun = []
        return rest.withUnsafeBytes { (rest: UnsafeRawBufferPointer) in
          if let masked = Secrets.masked(rest) { masked.withUnsafeBytes(body) } else { body(rest) }
        }
      }
      do throws(LuaError) { try host.withOutput(of: value, body) } catch {
        report(unprintable: error, record)
      }
    }
  }

  /// Returns a value of an execution as JSON, with secrets masked; of a table that JSON cannot
  /// represent, which it reports, and of other such values Lua's text.
  func json(of value: LuaValue, _ record: ExecutionRecord) -> String {
    let (text, problem) = EventJSON.textOrProblem(of: value, host)
    if let problem { report(unprintable: problem, record) }
    return text
  }

  /// Returns a text without its beginning, if that is what was already written.
  private func remainder(
    of text: UnsafeRawBufferPointer, behind begun: ArraySlice<UInt8>
  ) -> UnsafeRawBufferPointer {
    guard text.starts(with: begun) else { return text }
    return UnsafeRawBufferPointer(rebasing: text[begun.count...])
  }

  private func report(unprintable error: LuaError, _ record: ExecutionRecord) {
    // Of the end of the run the session tells.
    if !error.isInterrupt { report(unprintable: "\(error)", record) }
  }

  /// Reports a value of an execution that has no text, after which the run ends with an error.
  func report(unprintable problem: String, _ record: ExecutionRecord) {
    report.error("\(record.label): cannot print a value: \(problem)")
    unprintable.store(true, ordering: .relaxed)
  }

  /// Writes a text.
  package func write(_ text: String) {
    text.withExactBytes { write($0, Terminal.output(bytes:)) }
  }

  /// Writes bytes whose secrets are masked; those of one chunk of a process's output are written
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

  /// Flushes the buffer.
  func flush() {
    guard !hasFailed, !BrokenPipeHandler.isBroken else { return }
    let problem = Terminal.flushValues()
    if problem != 0 { stop(problem) }
  }

  /// Reports once that values cannot be written.
  ///
  /// - Returns: true if it was reported. A closed pipe is not an error; the SIGPIPE that comes with
  ///   it ends the run.
  @discardableResult
  func lose(_ problem: Int32) -> Bool {
    guard !hasFailed, problem != EPIPE, !BrokenPipeHandler.isBroken else { return false }
    failed.store(true, ordering: .relaxed)
    report.error(OutputError(code: problem).description)
    return true
  }

  /// Ends the run because nothing can be written any more.
  package func stop(_ problem: Int32) {
    // Like a signal, this also stops Lua code that never returns to the loop.
    if lose(problem) { raise(SIGTERM) }
  }
}
