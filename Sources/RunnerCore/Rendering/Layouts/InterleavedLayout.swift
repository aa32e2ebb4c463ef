/// Writes all output as it arrives.
package final class InterleavedLayout: OutputLayout {
  package let takesErrorLines = false
  package let showsUnfinishedLines = true
  private let output: ValueOutput
  private var open = OpenLine()

  init(_ output: ValueOutput) {
    self.output = output
  }

  package func began(_ record: ExecutionRecord) {}

  package func values(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    open.end(for: record, output)
    output.write(masked: bytes)
  }

  package func unfinished(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    open.end(for: record, output)
    output.write(masked: bytes)
    open.record = record
  }

  package func errors(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?) {
    if Terminal.streamsAreOne { open.end(for: record, output) }
    Terminal.error(bytes: bytes)
  }

  package func ended(_ record: ExecutionRecord) {
    if open.record === record { open.record = nil }
  }
}
