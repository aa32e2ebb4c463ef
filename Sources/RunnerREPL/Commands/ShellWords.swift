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

  /// A word with a backslash before the characters that mean something to the shell.
  static func quoted(_ word: String) -> String {
    word.reduce(into: "") { result, character in
      let isPlain = character.isLetter || character.isNumber || "_-./=:,+@%~^".contains(character)
      result += isPlain ? "\(character)" : "\\\(character)"
    }
  }

  /// The last word of a line as it is typed, with its quotes; empty after a space.
  static func typedLast(_ line: String) -> String {
    var start = line.startIndex
    var quote: Character?
    var isEscaped = false
    for index in line.indices {
      let character = line[index]
      if isEscaped {
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else if quote == nil, character.isWhitespace {
        start = line.index(after: index)
      }
    }
    return String(line[start...])
  }
}
