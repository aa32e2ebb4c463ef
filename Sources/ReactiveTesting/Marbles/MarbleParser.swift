/// Reads the text of a marble diagram.
struct MarbleParser {
  private let text: String
  private let characters: [Character]
  private var position = 0
  private var frames: [[MarbleDiagram.Mark]] = []
  private var ended = false
  private var lifeMarks: Set<MarbleDiagram.Mark> = []

  init(_ text: String) {
    self.text = text
    characters = Array(text)
  }

  /// Whether a character cannot stand for a value outside quotes.
  static func isReserved(_ character: Character?) -> Bool {
    guard let character else { return true }
    return "-|#^!()'".contains(character) || character.isWhitespace
  }

  mutating func parse() throws(MarbleSyntaxError) -> [[MarbleDiagram.Mark]] {
    while position < characters.count {
      let character = characters[position]
      if character.isWhitespace {
        position += 1
      } else if character == "-" {
        position += 1
        frames.append([])
      } else if character == "(" {
        frames.append(try group())
      } else {
        frames.append([try mark()])
      }
    }
    return frames
  }

  private mutating func group() throws(MarbleSyntaxError) -> [MarbleDiagram.Mark] {
    let start = position
    position += 1
    var marks: [MarbleDiagram.Mark] = []
    while position < characters.count {
      switch characters[position] {
      case ")":
        position += 1
        return marks
      case "(": throw error(.nestedGroup, at: position)
      case "-": throw error(.frameInGroup, at: position)
      case let character where character.isWhitespace: position += 1
      default: marks.append(try mark())
      }
    }
    throw error(.openGroup, at: start)
  }

  private mutating func mark() throws(MarbleSyntaxError) -> MarbleDiagram.Mark {
    let start = position
    let mark = try readMark()
    switch mark {
    case .value, .completed, .error:
      if ended { throw error(.eventAfterEnd, at: start) }
      if mark == .completed || mark == .error { ended = true }
    case .subscription, .disposal:
      if !lifeMarks.insert(mark).inserted { throw error(.repeatedMark, at: start) }
    }
    return mark
  }

  private mutating func readMark() throws(MarbleSyntaxError) -> MarbleDiagram.Mark {
    let start = position
    position += 1
    switch characters[start] {
    case "|": return .completed
    case "#": return .error
    case "^": return .subscription
    case "!": return .disposal
    case ")": throw error(.unopenedGroup, at: start)
    case "'":
      guard let end = characters[position...].firstIndex(of: "'") else {
        throw error(.openQuote, at: start)
      }
      defer { position = end + 1 }
      return .value(String(characters[position..<end]))
    case let character: return .value(String(character))
    }
  }

  private func error(_ problem: MarbleSyntaxError.Problem, at position: Int) -> MarbleSyntaxError {
    MarbleSyntaxError(problem: problem, text: text, position: position)
  }
}
