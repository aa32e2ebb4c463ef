/// What a text may be continued with.
struct Completions {
  /// The words that fit, whole, in order.
  private(set) var words: [String] = []
  /// How much of them is there already, in characters.
  private var typed = 0
  /// What follows a word that is the only one.
  private var closing = ""

  init() {}

  /// - Parameters:
  ///   - candidates: all words that could stand there.
  ///   - prefix: what is typed of one.
  ///   - closing: what follows a word that is the only one.
  init(_ candidates: some Sequence<String>, typed prefix: String, closing: (String) -> String) {
    words = Set(candidates.filter { $0.hasPrefix(prefix) }).sorted()
    typed = prefix.count
    if words.count == 1 { self.closing = closing(words[0]) }
  }

  /// What can be written without a choice; nil if that is nothing.
  var continuation: String? {
    guard let first = words.first else { return nil }
    var common = first[...]
    for word in words.dropFirst() { common = common.prefix(common.commonPrefixCount(with: word)) }
    let text = common.dropFirst(typed) + closing
    return text.isEmpty ? nil : String(text)
  }

  /// The words side by side, as many as a screen takes.
  func columns(width: Int) -> String {
    let shown = words.prefix(200)
    let cell = min((shown.map(\.count).max() ?? 0) + 2, max(width, 1))
    let perRow = max(width / cell, 1)
    var rows = stride(from: 0, to: shown.count, by: perRow).map { start in
      shown[start..<min(start + perRow, shown.count)]
        .map { $0 + String(repeating: " ", count: max(cell - $0.count, 0)) }
        .joined().trimmed
    }
    if words.count > shown.count { rows.append("… \(words.count - shown.count) more") }
    return rows.map { $0 + "\n" }.joined()
  }
}

extension Substring {
  fileprivate func commonPrefixCount(with other: String) -> Int {
    zip(self, other).prefix { $0 == $1 }.count
  }
}
