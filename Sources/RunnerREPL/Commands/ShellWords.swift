import RunnerCore

/// Splits a line into words like a shell: quotes of both kinds, and backslashes.
enum ShellWords {
  /// Returns the words; nil if a quote is not closed.
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
        // Inside quotes, a backslash is literal before most characters.
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
