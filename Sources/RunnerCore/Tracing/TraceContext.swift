import Platform

/// A place in a trace: the trace, and the span that what follows belongs to. Its text is the header
/// `traceparent` of the W3C's Trace Context, which the variable `TRACEPARENT` carries between
/// processes.
struct TraceContext: Equatable, Sendable {
  /// The trace's 16 bytes, not all zero: the first half of them.
  let high: UInt64
  /// The second half.
  let low: UInt64
  /// The span's 8 bytes, not all zero.
  let number: UInt64
  /// Whether the caller records its part of the trace.
  var isSampled = true

  /// A span of the trace of another place.
  init(_ number: UInt64, in other: TraceContext) {
    high = other.high
    low = other.low
    self.number = number
  }

  /// The root of a new trace.
  init(_ numbers: inout SpanNumbers) {
    high = numbers.next()
    low = numbers.next()
    number = numbers.next()
  }

  /// Reads a `traceparent`; nil if it is none. Later versions may have more fields, which are ignored.
  init?(_ text: String) {
    let fields = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard fields.count >= 4, fields[0].count == 2, fields[1].count == 32, fields[2].count == 16,
      fields[3].count == 2, fields[0..<4].joined().allSatisfy(Self.isDigit),
      !fields[0].elementsEqual("ff".utf8), fields.count == 4 || !fields[0].elementsEqual("00".utf8),
      let flags = UInt8(Substring(fields[3]), radix: 16),
      let high = UInt64(Substring(fields[1].prefix(16)), radix: 16),
      let low = UInt64(Substring(fields[1].suffix(16)), radix: 16), high | low != 0,
      let number = UInt64(Substring(fields[2]), radix: 16), number != 0
    else { return nil }
    self.high = high
    self.low = low
    self.number = number
    isSampled = flags & 1 == 1
  }

  /// The trace as 32 hexadecimal digits.
  var trace: String { digits(high, low) }

  /// The span as 16 hexadecimal digits.
  var span: String { digits(number) }

  var text: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

  private func digits(_ words: UInt64...) -> String {
    var digits: [UInt8] = []
    for word in words { digits.append(hexadecimal: word) }
    return String(decoding: digits, as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...102).contains(byte)
  }
}

/// The numbers of traces and spans: none is zero, and a process repeats none. Only the first is the
/// system's, as asking it for each costs a call of the kernel.
struct SpanNumbers {
  private var state = UInt64.random(in: .min ... .max)

  /// The next number, by SplitMix64, which has each number of 64 bits once in its period.
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var number = state
    number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
    number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
    number ^= number >> 31
    return number == 0 ? next() : number
  }
}

extension [UInt8] {
  /// Appends the 16 digits of a word.
  mutating func append(hexadecimal word: UInt64) {
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15
      append(digit < 10 ? 48 + digit : 87 + digit)
    }
  }
}
