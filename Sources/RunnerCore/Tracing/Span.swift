import Platform

/// A span of a trace: something that took time, inside something else. It has plain values alone, so
/// that to record one costs the loop next to nothing; another thread makes its text.
struct Span: Sendable {
  let context: TraceContext
  /// The number of the span that it belongs to; nil for the root.
  let parent: UInt64?
  let name: String
  /// Nanoseconds since 1970.
  let start: Int64
  var end: Int64 = 0
  /// The execution that it shows, if it shows one.
  var execution: Execution?
  var attributes: [(name: StaticString, value: Value)] = []
  var outcome = Outcome.unset

  /// What all spans of executions have. The name of the span is that of the command.
  struct Execution: Sendable {
    let id: Int?
    /// The `id` of its entry in a plan.
    let entry: String?
    /// The plan, and the entry's line in it.
    let plan: (name: String, line: Int)?
    /// Its number in the journal.
    let recordedAs: Int64?
  }

  enum Value: Sendable {
    case text(String)
    case integer(Int)
    case flag(Bool)
  }

  enum Outcome: Sendable {
    case unset, ok
    /// With the message of the error.
    case error(String)
  }

  init(_ context: TraceContext, in parent: UInt64?, _ name: String, start: Int64) {
    self.context = context
    self.parent = parent
    self.name = name
    self.start = start
  }

  mutating func note(_ name: StaticString, _ value: Value) { attributes.append((name, value)) }
}
