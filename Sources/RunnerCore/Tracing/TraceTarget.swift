import Platform
import Scripting

/// The collector that traces are sent to: that of `--otlp URL`, or of the variables that OpenTelemetry
/// defines.
package struct TraceTarget: Sendable {
  /// The address that spans are posted to.
  let url: String
  /// Further header fields of each request, as `name: value`.
  var headers: [String] = []
  /// The `service.name` of all spans.
  var service = "raclette"
  /// The time limit of a request.
  var timeout = Duration.seconds(10)
  /// The longest wait for the collector at the end of a run: that limit if a variable sets it.
  private(set) var patience = Duration.seconds(2)
  /// Why the value of a variable is ignored; nil if none is.
  private(set) var problem: String?
  /// Further attributes of all spans.
  var attributes: [(name: String, value: String)] = []

  /// Reads the options of a line, and the variables of the program.
  package init?(_ line: CommandLine) throws(UsageError) {
    try self.init(option: line[.otlp], variable: environment)
  }

  /// Reads the option and the variables.
  ///
  /// - Parameters:
  ///   - option: the value of `--otlp`, which takes precedence over the variables of addresses.
  ///   - variable: returns the value of a variable; nil if it is not set.
  /// - Returns: nil if nothing is to be sent.
  /// - Throws: `UsageError` for a text that is not the address of a collector.
  init?(option: String?, variable: (String) -> String?) throws(UsageError) {
    // An empty variable means the same as none.
    func value(_ name: String) -> String? {
      variable("OTEL_\(name)").flatMap { $0.isEmpty ? nil : $0 }
    }
    let base = option ?? value("EXPORTER_OTLP_ENDPOINT")
    let exact = option == nil ? value("EXPORTER_OTLP_TRACES_ENDPOINT") : nil
    guard let given = exact ?? base else { return nil }
    let isWanted =
      value("SDK_DISABLED")?.lowercased() != "true" && value("TRACES_EXPORTER") != "none"
    guard option != nil || isWanted else { return nil }
    let source =
      option != nil
      ? "--otlp"
      : exact != nil ? "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" : "OTEL_EXPORTER_OTLP_ENDPOINT"
    guard
      let rest = ["http://", "https://"].first(where: given.hasPrefix).map({
        given.utf8.dropFirst($0.utf8.count)
      }), let first = rest.first, first != UInt8(ascii: "/")
    else {
      throw .input(
        "\(source): '\(given)' is not the address of a collector, such as http://127.0.0.1:4318")
    }
    let isExact = exact != nil || given.hasSuffix(Self.path)
    url = isExact ? given : (given.hasSuffix("/") ? String(given.dropLast()) : given) + Self.path
    headers = Self.pairs(value("EXPORTER_OTLP_HEADERS")).map { "\($0.name): \($0.value)" }
    headers += Self.pairs(value("EXPORTER_OTLP_TRACES_HEADERS")).map { "\($0.name): \($0.value)" }
    attributes = Self.pairs(value("RESOURCE_ATTRIBUTES"))
    if let index = attributes.firstIndex(where: { $0.name == "service.name" }) {
      service = attributes.remove(at: index).value
    }
    service = value("SERVICE_NAME") ?? service
    let limits = ["EXPORTER_OTLP_TRACES_TIMEOUT", "EXPORTER_OTLP_TIMEOUT"]
    guard let name = limits.first(where: { value($0) != nil }), let limit = value(name) else {
      return
    }
    if let milliseconds = Int(limit), milliseconds > 0 {
      timeout = .milliseconds(min(milliseconds, 86_400_000))
      patience = timeout
    } else {
      problem =
        "OTEL_\(name): '\(limit)' is not a positive number of milliseconds; the limit is \(timeout.text)"
    }
  }

  private static var path: String { "/v1/traces" }

  /// Reads `name=value,name=value`, with values percent-encoded.
  private static func pairs(_ text: String?) -> [(name: String, value: String)] {
    (text ?? "").split(separator: ",").compactMap { pair in
      guard let parts = pair.cut(atFirst: "="), !parts.before.isEmpty else { return nil }
      let value = String(parts.after).trimmed
      return (String(parts.before).trimmed, PercentEncoding.decoded(value) ?? value)
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    let isSpace = { (byte: UInt8) in byte == 32 || byte == 9 }
    let rest = utf8.drop(while: isSpace)
    return String(decoding: rest.reversed().drop(while: isSpace).reversed(), as: UTF8.self)
  }
}
