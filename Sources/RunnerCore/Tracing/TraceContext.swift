import Platform

/// A place in a trace: the trace, and the span that what follows belongs to. Its text is the header
/// `traceparent` of the W3C's Trace Context, which the variable `TRACEPARENT` carries between
/// processes.
struct TraceContext: Equatable {
  /// 16 bytes, not all zero, as 32 hexadecimal digits.
  var trace: String
  /// 8 bytes, not all zero, as 16 hexadecimal digits.
  var span: String
  /// Whether the caller records its part of the trace.
  var isSampled = true

  /// A span of a trace, which has none yet.
  init(trace: String, span: String = Self.digits(1)) {
    self.trace = trace
    self.span = span
  }

  /// The root of a new trace.
  init() { self.init(trace: Self.digits(2)) }

  /// Reads a `traceparent`; nil if it is none. Later versions may have more fields, which are ignored.
  init?(_ text: String) {
    let fields = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard fields.count >= 4, fields[0].count == 2, fields[1].count == 32, fields[2].count == 16,
      fields[3].count == 2, fields[0..<4].joined().allSatisfy(Self.isDigit),
      !fields[0].elementsEqual("ff".utf8), fields.count == 4 || !fields[0].elementsEqual("00".utf8),
      let flags = UInt8(Substring(fields[3]), radix: 16),
      [fields[1], fields[2]].allSatisfy({ $0.contains { $0 != UInt8(ascii: "0") } })
    else { return nil }
    trace = String(Substring(fields[1]))
    span = String(Substring(fields[2]))
    isSampled = flags & 1 == 1
  }

  var text: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

  /// Random words of 64 bits as hexadecimal digits. None is zero.
  private static func digits(_ words: Int) -> String {
    (0..<words).map { _ in
      let digits = String(UInt64.random(in: 1...UInt64.max), radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...102).contains(byte)
  }
}
