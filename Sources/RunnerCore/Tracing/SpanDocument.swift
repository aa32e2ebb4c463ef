import Platform
import Scripting

/// The document that spans are sent as: the JSON of OpenTelemetry's protocol (OTLP), with ids in
/// hexadecimal digits and numbers of 64 bits as text.
struct SpanDocument {
  private(set) var bytes: [UInt8]
  private var isEmpty = true

  /// - Parameter target: has what all spans of the program have in common.
  init(_ target: TraceTarget) {
    let named = [("service.name", target.service)] + target.attributes.map { ($0.name, $0.value) }
    var attributes = named.map { name, value in Self.attribute(name, "stringValue", value) }
    attributes.append(Self.attribute("process.pid", "intValue", "\(getpid())"))
    let resource = JSONValue.object([("attributes", .list(attributes))])
    let scope = JSONValue.object([
      ("name", .string("raclette")), ("version", .string(ScriptHost.version)),
    ])
    bytes = Array(
      "{\"resourceSpans\":[{\"resource\":\(resource.text),\"scopeSpans\":[{\"scope\":\(scope.text),\"spans\":["
        .utf8)
  }

  private static func attribute(_ name: String, _ type: String, _ value: String) -> JSONValue {
    .object([("key", .string(name)), ("value", .object([(type, .string(value))]))])
  }

  mutating func add(_ span: Span) {
    write(isEmpty ? "{\"traceId\":\"" : ",{\"traceId\":\"")
    isEmpty = false
    bytes.append(hexadecimal: span.context.high)
    bytes.append(hexadecimal: span.context.low)
    write("\",\"spanId\":\"")
    bytes.append(hexadecimal: span.context.number)
    if let parent = span.parent {
      write("\",\"parentSpanId\":\"")
      bytes.append(hexadecimal: parent)
    }
    write("\",\"name\":")
    write(quoted: span.name)
    // Internal: it neither serves a request nor sends one.
    write(",\"kind\":1,\"startTimeUnixNano\":\"")
    write(span.start)
    write("\",\"endTimeUnixNano\":\"")
    // The clock may have been set back meanwhile.
    write(max(span.start, span.end))
    write("\",\"attributes\":[")
    writeAttributes(of: span)
    write("]")
    switch span.outcome {
    case .unset: break
    case .ok: write(",\"status\":{\"code\":1}")
    case .error(let message):
      write(",\"status\":{\"code\":2,\"message\":")
      write(quoted: message)
      write("}")
    }
    write("}")
  }

  /// Ends the document, to which nothing can be added from now on.
  mutating func finish() { write("]}]}]}") }

  private mutating func writeAttributes(of span: Span) {
    if let execution = span.execution {
      write("raclette.command", .text(span.name))
      if let id = execution.id { write("raclette.execution", .integer(id)) }
      if let entry = execution.entry { write("raclette.entry", .text(entry)) }
      if let plan = execution.plan {
        write("raclette.plan", .text(plan.name))
        write("raclette.line", .integer(plan.line))
      }
      if let number = execution.recordedAs { write("raclette.recorded_as", .integer(Int(number))) }
    }
    for (name, value) in span.attributes { write(name, value) }
  }

  /// Writes an attribute: OTLP has them as a list of keys with typed values.
  private mutating func write(_ name: StaticString, _ value: Span.Value) {
    if bytes.last == UInt8(ascii: "}") { write(",") }
    write("{\"key\":\"")
    write(name)
    switch value {
    case .text(let text):
      write("\",\"value\":{\"stringValue\":")
      write(quoted: text)
      write("}}")
    case .integer(let integer):
      write("\",\"value\":{\"intValue\":\"")
      write(Int64(integer))
      write("\"}}")
    case .flag(let flag):
      write("\",\"value\":{\"boolValue\":")
      write(flag ? "true}}" : "false}}")
    }
  }

  private mutating func write(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func write(_ integer: Int64) { bytes.append(contentsOf: String(integer).utf8) }

  private mutating func write(quoted text: String) {
    let isPlain = text.utf8.allSatisfy {
      (32..<127).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    guard isPlain else { return bytes.append(contentsOf: JSONValue.string(text).text.utf8) }
    write("\"")
    bytes.append(contentsOf: text.utf8)
    write("\"")
  }
}
