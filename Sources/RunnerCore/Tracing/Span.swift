import Platform
import Scripting

/// A span of a trace: something that took time, inside something else. Its JSON is that of
/// OpenTelemetry's protocol (OTLP): ids in hexadecimal digits, numbers of 64 bits as text.
struct Span {
  let context: TraceContext
  /// The span that it belongs to; nil for the root.
  let parent: String?
  let name: String
  /// Nanoseconds since 1970.
  let start: Int64
  var end: Int64 = 0
  var attributes: [(name: String, value: JSONValue)] = []
  var outcome = Outcome.unset

  enum Outcome {
    case unset, ok
    /// With the message of the error.
    case error(String)
  }

  init(
    _ context: TraceContext, in parent: String?, _ name: String,
    start: Int64 = WallClock.nanoseconds
  ) {
    self.context = context
    self.parent = parent
    self.name = name
    self.start = start
  }

  /// A span inside this one.
  func child(_ name: String, start: Int64 = WallClock.nanoseconds) -> Span {
    Span(TraceContext(trace: context.trace), in: context.span, name, start: start)
  }

  mutating func note(_ name: String, _ value: String) {
    attributes.append((name, .object([("stringValue", .string(value))])))
  }

  mutating func note(_ name: String, _ value: Int) {
    attributes.append((name, .object([("intValue", .string("\(value)"))])))
  }

  mutating func note(_ name: String, _ value: Bool) {
    attributes.append((name, .object([("boolValue", .bool(value))])))
  }

  /// The document of OTLP, encoded.
  var json: JSONValue {
    var fields: [(String, JSONValue)] = [
      ("traceId", .string(context.trace)), ("spanId", .string(context.span)),
    ]
    if let parent { fields.append(("parentSpanId", .string(parent))) }
    fields += [
      // Internal: it neither serves a request nor sends one.
      ("name", .string(name)), ("kind", .integer(1)),
      ("startTimeUnixNano", .string("\(start)")),
      // The clock may have been set back meanwhile.
      ("endTimeUnixNano", .string("\(max(start, end))")),
      ("attributes", Self.list(attributes)),
    ]
    switch outcome {
    case .unset: break
    case .ok: fields.append(("status", .object([("code", .integer(1))])))
    case .error(let message):
      fields.append(
        ("status", .object([("code", .integer(2)), ("message", .string(message))])))
    }
    return .object(fields)
  }

  /// Attributes as OTLP has them: a list of keys with typed values.
  static func list(_ attributes: [(name: String, value: JSONValue)]) -> JSONValue {
    .list(attributes.map { .object([("key", .string($0.name)), ("value", $0.value)]) })
  }
}
