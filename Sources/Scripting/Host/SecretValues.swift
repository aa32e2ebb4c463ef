import Platform

/// The values that are secrets, and what finds them.
struct SecretValues: Sendable {
  /// How many values of a variable are known at least; of one that has had more, the latest.
  static let mostPerVariable = 1_000

  /// Together they find all values. Each is far larger than the next, so that a value that is added
  /// costs little however many there are.
  private(set) var finders: [SecretFinder] = []
  private var known: Set<[UInt8]> = []
  /// The values of variables in the order of their appearance, at most twice as many as are known.
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

  /// What is looked for.
  private static func texts(of value: [UInt8]) -> [[UInt8]] {
    let lines = value.split(whereSeparator: { $0 == 10 || $0 == 13 })
    return lines.filter { lines.count == 1 || $0.count > 2 }.flatMap(JSONForm.forms)
  }
}

/// How encoders of JSON write a text, without its quotes.
enum JSONForm {
  /// The text itself, and all its forms that differ.
  static func forms(of line: ArraySlice<UInt8>) -> [[UInt8]] {
    let text = String(exactly: line)
    let plain = JSONValue.string(text).text.utf8.dropFirst().dropLast()
    let forms = [Array(plain), ascii(text)]
    return [Array(line)] + forms + forms.map(escapingSlashes)
  }

  private static func escapingSlashes(_ form: [UInt8]) -> [UInt8] {
    form.flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] }
  }

  /// With escapes for everything but ASCII.
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
