/// Metrics in the text format of Prometheus, version 0.0.4.
struct PrometheusText {
  typealias Label = (name: String, value: String)

  enum Kind: String {
    case counter, gauge, histogram
  }

  private(set) var text = ""
  private var name = ""

  /// Writes the head of a family and what `body` adds; nothing if that is nothing.
  mutating func family(
    _ name: String, _ kind: Kind, _ help: String, _ body: (inout PrometheusText) -> Void
  ) {
    // This format names a counter as its samples.
    let heading = kind == .counter ? name + "_total" : name
    var own = PrometheusText()
    own.name = name
    body(&own)
    guard !own.text.isEmpty else { return }
    text += "# HELP \(heading) \(help)\n# TYPE \(heading) \(kind.rawValue)\n" + own.text
  }

  /// Adds a sample to the family.
  ///
  /// - Parameter suffix: what follows the name of the family.
  mutating func add(_ labels: [Label], _ value: Double, suffix: String = "") {
    text += name + suffix
    if !labels.isEmpty {
      let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
      text += "{" + list.joined(separator: ",") + "}"
    }
    text += " \(Self.text(of: value))\n"
  }

  /// A number without a needless fraction.
  static func text(of number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? "\(number)"
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
