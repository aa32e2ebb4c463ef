import Platform

/// The secret values, and the automata that find them.
struct SecretValues: Sendable {
  /// The minimum number of values kept for a variable; if it has had more, the latest are kept.
  static let mostPerVariable = 1_000

  /// Together they find all values. Each is far larger than the next, so that adding a value is
  /// cheap however many there are.
  private(set) var finders: [SecretFinder] = []
  private var known: Set<[UInt8]> = []
  /// The values of variables in order of appearance, at most twice as many as `mostPerVariable`.
  private var byVariable: [String: [[UInt8]]] = [:]
  private var others: Set<[UInt8]> = []

  /// - Parameter variable: the variable whose value it is; nil for a value that is never forgotten.
  mutating func add(_ value: [UInt8], of variable: String?) {
    guard let variable else {
      if others.insert(value).inserted { find(Self.texts(of: value)) }
      return
    }
    var values = byVariable.removeValue(forKey: variable) ?? []
    if let place = values.lastIndex(of: value) {
      values.append(values.remove(at: place))
      byVariable[variable] = values
      return
    }
    values.append(value)
    let isFull = values.count > 2 * Self.mostPerVariable
    if isFull { values.removeFirst(values.count - Self.mostPerVariable) }
    byVariable[variable] = values
    if isFull { findAll() } else { find(Self.texts(of: value)) }
  }

  /// Returns the values of which any text occurs in one of some others.
  func found(in others: [String]) -> [[UInt8]] {
    let values = Set(byVariable.values.joined()).union(self.others)
    return values.filter { value in
      let finder = SecretFinder(Self.texts(of: value))
      return others.contains { other in
        other.withExactBytes { bytes in
          var ranges: [Range<Int>] = []
          _ = finder.find(in: bytes, &ranges)
          return !ranges.isEmpty
        }
      }
    }
  }

  private mutating func findAll() {
    finders = []
    known = []
    find(byVariable.values.joined().flatMap(Self.texts) + others.flatMap(Self.texts))
  }

  private mutating func find(_ texts: [[UInt8]]) {
    var texts = texts.filter { known.insert($0).inserted }
    guard !texts.isEmpty else { return }
    while let last = finders.last, last.texts.count <= 2 * texts.count {
      texts += last.texts
      finders.removeLast()
    }
    finders.append(SecretFinder(texts))
  }

  /// Returns the texts to search for.
  private static func texts(of value: [UInt8]) -> [[UInt8]] {
    let lines = value.split(whereSeparator: { $0 == 10 || $0 == 13 })
    return lines.filter { lines.count == 1 || $0.count > 2 }.flatMap(JSONForm.forms)
  }
}

/// The forms in which JSON encoders write a text, without its quotes.
enum JSONForm {
  /// Returns the text itself, and all its distinct forms.
  static func forms(of line: ArraySlice<UInt8>) -> [[UInt8]] {
    let text = String(exactly: line)
    let plain = JSONValue.string(text).text.utf8.dropFirst().dropLast()
    let forms = [Array(plain), ascii(text)]
    return [Array(line)] + forms + forms.map(escapingSlashes)
  }

  private static func escapingSlashes(_ form: [UInt8]) -> [UInt8] {
    form.flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] }
  }

  /// Returns the text with escapes for everything but ASCII.
  private static func ascii(_ text: String) -> [UInt8] {
    var form: [UInt8] = []
    for scalar in text.repaired.unicodeScalars {
      if scalar.isASCII {
        form += JSONValue.string(String(scalar)).text.utf8.dropFirst().dropLast()
      } else {
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          form += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
        }
      }
    }
    return form
  }
}
