/// The line that an execution has begun at the end of the output, and will continue.
struct OpenLine {
  var record: ExecutionRecord?

  /// True if what an execution writes next continues the line.
  func isContinued(by other: ExecutionRecord) -> Bool {
    record === other && !Terminal.isAtLineStart
  }

  /// Ends it before something else than its execution writes.
  mutating func end(for other: ExecutionRecord?, _ output: ValueOutput) {
    guard let record, record !== other else { return }
    if !Terminal.isAtLineStart { output.write("\n") }
    self.record = nil
  }
}
