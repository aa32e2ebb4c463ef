/// A text for the shell, as far as it is a sequence of simple commands and lists of them at its outermost
/// level. Anything that needs the shell's grammar is left out.
struct ShellScript {
  /// Commands with `&&`, `||` and `|` between them.
  struct List {
    /// The line that it begins in, from 1.
    let line: Int
    /// Its words and operators; words in quotes are as they are written.
    var words: [String]
  }

  /// The lists of the outermost level, in order; nil for a text that is not understood.
  let lists: [List]?

  init(_ text: String) {
    var reader = ShellScriptReader(text)
    lists = reader.read()
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
      case "\\" where next == "\n":
        position += 2
        line += 1
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
        endList()
      case "|":
        add("|")
        position += 1
        isAtCommand = true
      default:
        guard let word = readWord() else { return nil }
        // A document here, or a text that the grammar of the shell ends.
        guard !word.contains("<<"), word != "case" else { return nil }
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

  /// Reads a word with its quotes and substitutions; nil if one does not end.
  private mutating func readWord() -> String? {
    var word = ""
    while let character = peek, !" \t\n;&|()".contains(character) || isRedirection(word) {
      switch character {
      case "'", "\"", "`":
        guard let quoted = readQuoted(character) else { return nil }
        word += quoted
      case "$" where next == "(":
        guard let substitution = readSubstitution() else { return nil }
        word += substitution
      case "\\":
        word += String(characters[position..<min(position + 2, characters.count)])
        position += 2
      default:
        word.append(character)
        position += 1
      }
    }
    return word
  }

  /// True if an ampersand belongs to the redirection that the word is so far, as in `2>&1`.
  private func isRedirection(_ word: String) -> Bool {
    peek == "&" && (word.last == ">" || word.last == "<" || next == ">")
  }

  private mutating func readQuoted(_ quote: Character) -> String? {
    let start = position
    position += 1
    while let character = peek {
      if character == "\n" { line += 1 }
      position += character == "\\" && quote != "'" ? 2 : 1
      if character == quote { return String(characters[start..<min(position, characters.count)]) }
    }
    return nil
  }

  private mutating func readSubstitution() -> String? {
    let start = position
    position += 2
    var depth = 1
    while let character = peek {
      switch character {
      case "'", "\"", "`":
        guard readQuoted(character) != nil else { return nil }
        continue
      case "\\": position += 1
      case "(": depth += 1
      case ")": depth -= 1
      case "\n": line += 1
      default: break
      }
      position += 1
      if depth == 0 { return String(characters[start..<min(position, characters.count)]) }
    }
    return nil
  }
}
