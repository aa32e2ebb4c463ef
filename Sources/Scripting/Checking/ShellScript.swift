/// A text for the shell, as far as it is a sequence of simple commands and lists of them at its outermost
/// level. Anything that needs the shell's grammar is left out.
struct ShellScript {
  /// Commands with `&&`, `||` and `|` between them.
  struct List {
    /// The line that it begins in, from 1.
    let line: Int
    /// Its words and operators; words in quotes are as they are written.
    var words: [String]
    /// True if it looks at the status of the list before it, also within a compound command.
    var readsStatus = false
    /// True if the shell does not wait for its end.
    var isInBackground = false
  }

  /// The lists of the outermost level, in order; nil for a text that is not understood.
  let lists: [List]?

  init(_ text: String) {
    var reader = ShellScriptReader(text)
    lists = reader.read()
  }

  /// Returns a text without its comments and what is in single quotes; nil for a text with a document
  /// here, or with quotes that do not end.
  static func withoutQuotedTexts(_ text: [UInt8]) -> [UInt8]? {
    var rest = text[...]
    var result: [UInt8] = []
    var isInQuotes = false
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\"): _ = rest.popFirst()
      case UInt8(ascii: "'") where !isInQuotes:
        guard let end = rest.firstIndex(of: byte) else { return nil }
        rest = rest[(end + 1)...]
        result.append(byte)
      case UInt8(ascii: "#") where !isInQuotes && (result.last ?? 10) <= 32:
        rest = rest.drop { $0 != 10 }
      case UInt8(ascii: "<") where !isInQuotes && rest.first == byte: return nil
      default:
        if byte == UInt8(ascii: "\"") { isInQuotes.toggle() }
        result.append(byte)
      }
    }
    return isInQuotes ? nil : result
  }
}

private struct ShellScriptReader {
  private let characters: [Character]
  private var position = 0
  private var line = 1
  private var lists: [ShellScript.List] = []
  private var list: ShellScript.List?
  /// The open compound commands; what is in them is left out.
  private var depth = 0
  /// True where a word is the name of a command.
  private var isAtCommand = true

  init(_ text: String) { characters = Array(text) }

  mutating func read() -> [ShellScript.List]? {
    while let character = peek {
      switch character {
      case "\n", "\r\n":
        position += 1
        line += 1
        if !isContinued { endList() }
      case " ", "\t": position += 1
      case "\\" where next?.isNewline == true: skipEscaped()
      case "#": while let comment = peek, !comment.isNewline { position += 1 }
      case ";":
        position += 1
        // The end of a case.
        guard peek != ";" else { return nil }
        endList()
      case "(":
        add("(")
        position += 1
        depth += 1
        isAtCommand = true
      case ")":
        position += 1
        depth -= 1
        guard depth >= 0 else { return nil }
      case "&" where next == "&", "|" where next == "|":
        add(String([character, character]))
        position += 2
        isAtCommand = true
      case "&" where next != ">":
        position += 1
        if depth == 0 { list?.isInBackground = true }
        endList()
      case "|":
        add("|")
        position += 1
        isAtCommand = true
      default:
        // What the grammar of a case ends is not understood.
        guard let word = readWord(), word != "case" else { return nil }
        take(word)
      }
    }
    endList()
    return depth == 0 ? lists : nil
  }

  private var peek: Character? { position < characters.count ? characters[position] : nil }
  private var next: Character? {
    position + 1 < characters.count ? characters[position + 1] : nil
  }

  /// True if the list goes on in the next line.
  private var isContinued: Bool {
    list?.words.last.map { ["&&", "||", "|"].contains($0) } ?? false
  }

  private mutating func take(_ word: String) {
    if isAtCommand {
      switch word {
      case "if", "for", "while", "until", "select", "{":
        add(word)
        depth += 1
        isAtCommand = word != "for" && word != "select"
        return
      case "fi", "done", "}":
        depth -= 1
        return
      case "then", "else", "elif", "do", "!", "time":
        add(word)
        return
      default: break
      }
    }
    add(word)
    // A variable that is set for the command.
    isAtCommand = isAtCommand && word.contains("=") && !word.hasPrefix("=")
  }

  private mutating func add(_ word: String) {
    defer { if word.contains("$?") || word.contains("${?") { list?.readsStatus = true } }
    // The body of a compound command is left out, and its place in the list is kept.
    guard depth == 0 else {
      if list == nil { list = ShellScript.List(line: line, words: [word]) }
      return
    }
    if list == nil { list = ShellScript.List(line: line, words: []) }
    list?.words.append(word)
  }

  private mutating func endList() {
    isAtCommand = true
    guard depth == 0, let ended = list else { return }
    lists.append(ended)
    list = nil
  }

  /// Reads a word with its quotes and substitutions; nil if one does not end, and for a document here.
  private mutating func readWord() -> String? {
    let start = position
    while let character = peek, isPartOfWord(character) {
      if character == "<", next == "<" {
        guard position + 2 < characters.count, characters[position + 2] == "<" else { return nil }
        position += 3
      } else {
        guard skip(character) else { return nil }
      }
    }
    return text(from: start)
  }

  private func isPartOfWord(_ character: Character) -> Bool {
    guard character == "&" else { return !character.isNewline && !" \t;|()".contains(character) }
    // It belongs to a redirection, as in `2>&1`.
    return position > 0 && [">", "<"].contains(characters[position - 1]) || next == ">"
  }

  private func text(from start: Int) -> String {
    String(characters[start..<min(position, characters.count)])
  }

  /// Skips a character with what it begins: an escape, quotes or a substitution; returns false if that
  /// does not end.
  private mutating func skip(_ character: Character) -> Bool {
    switch character {
    case "\\": skipEscaped()
    case "'": return skip(to: "'", isLiteral: true)
    case "\"", "`": return skip(to: character)
    case "$" where next == "(" || next == "{":
      let end: Character = next == "(" ? ")" : "}"
      position += 1
      return skip(to: end)
    default:
      if character.isNewline { line += 1 }
      position += 1
    }
    return true
  }

  private mutating func skipEscaped() {
    if next?.isNewline == true { line += 1 }
    position += 2
  }

  /// Skips what an opening character begins, to a closing one.
  private mutating func skip(to end: Character, isLiteral: Bool = false) -> Bool {
    position += 1
    while let character = peek {
      if character == end {
        position += 1
        return true
      }
      if isLiteral {
        if character.isNewline { line += 1 }
        position += 1
      } else if character == "(", end == ")" {
        guard skip(to: end) else { return false }
      } else if character == "'", end == "\"" {
        // An apostrophe.
        position += 1
      } else {
        guard skip(character) else { return false }
      }
    }
    return false
  }
}
