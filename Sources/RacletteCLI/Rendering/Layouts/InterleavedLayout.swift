/// Writes all output as it arrives.
final class InterleavedLayout: OutputLayout {
  let takesErrorLines = false
  private let output: ValueOutput

  init(_ output: ValueOutput) {
    self.output = output
  }

  func began(_ record: ExecutionRecord) {}

  func values(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    output.write(masked: bytes)
  }

  func errors(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?) {
    Terminal.error(bytes: bytes)
  }

  func ended(_ record: ExecutionRecord) {}
}
