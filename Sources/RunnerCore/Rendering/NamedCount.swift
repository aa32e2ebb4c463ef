/// The number of executions of which a run tells in one line, with the names of the first.
struct NamedCount {
  /// The most names in a line.
  private static let mostNames = 8

  private(set) var count = 0
  private var names: [String] = []

  mutating func add(_ name: String) {
    count += 1
    if names.count < Self.mostNames { names.append(name) }
  }

  /// The names; of many, the first and the number of the others.
  var text: String {
    let others = count - names.count
    return names.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
  }

  /// A sentence: `a is up to date`, `3 are up to date: a, b, c`; nil for none.
  func sentence(_ one: String, _ several: String) -> String? {
    switch count {
    case 0: nil
    case 1: "\(text) \(one)"
    default: "\(count) \(several): \(text)"
    }
  }
}
