/// A line taken apart into words as a shell does it: quotes of both kinds, and backslashes.
enum ShellWords {
  /// The words; nil if a quote has no end.
  static func split(_ line: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = line[...]
    while let character = rest.popFirst() {
      switch (quote, character) {
      case (nil, "'"), (nil, "\""):
        quote = character
        word = word ?? ""
      case ("'", "'"), ("\"", "\""): quote = nil
      case (nil, "\\"), ("\"", "\\"):
        guard let next = rest.popFirst() else { return nil }
        // Inside quotes a backslash stands for itself before most characters.
        let isPlain = quote != nil && next != "\"" && next != "\\"
        word = (word ?? "") + (isPlain ? "\\\(next)" : String(next))
      case (nil, _) where character.isWhitespace:
        if let ended = word { words.append(ended) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    guard quote == nil else { return nil }
    return words + (word.map { [$0] } ?? [])
  }
}
