/// Writes all output as it arrives.
package final class InterleavedLayout: OutputLayout {
  package let takesErrorLines = false
  private let output: ValueOutput

  init(_ output: ValueOutput) {
    self.output = output
  }

  package func began(_ record: ExecutionRecord) {}

  package func values(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    output.write(masked: bytes)
  }

  package func errors(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?) {
    Terminal.error(bytes: bytes)
  }

  package func ended(_ record: ExecutionRecord) {}
}
