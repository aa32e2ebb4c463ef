import Platform

/// A step of a command whose definition gives `steps`, as events and messages name it.
public struct WorkStep: Equatable, Sendable {
  /// The longest name, in characters; the rest of a longer one is left out.
  private static let longestName = 200

  /// Its number, from 1.
  public let number: Int
  /// The number of steps.
  public let count: Int
  /// What it executes, on one line: a line of the shell, a program with its arguments, a command or
  /// the place of a function.
  public let name: String

  /// A step with a name.
  public init(number: Int, count: Int, name: String) {
    self.number = number
    self.count = count
    self.name = name
  }

  /// A step with the text of what it executes, of which the name is the first line.
  init(number: Int, count: Int, executing text: String) {
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }
      .filter { !$0.isEmpty }
    let first = lines.first ?? ""
    let isCut = lines.count > 1 || first.count > Self.longestName
    self.init(
      number: number, count: count,
      name: String(first.prefix(Self.longestName)) + (isCut ? " …" : ""))
  }

  /// Its place among the steps: `step 2 of 3`.
  public var place: String { "step \(number) of \(count)" }

  /// Its place and its name, as records of output have it: `step 2 of 3: npm test`.
  public var text: String { "\(place): \(name)" }

  /// Reads what `text` gives; nil if it is something else.
  public init?(text: String) {
    guard let colon = text.firstRange(of: ": ") else { return nil }
    let words = text[..<colon.lowerBound].split(separator: " ")
    guard words.count == 4, words[0] == "step", words[2] == "of", let number = Int(words[1]),
      let count = Int(words[3])
    else { return nil }
    self.number = number
    self.count = count
    name = String(text[colon.upperBound...])
  }
}

extension CommandWork.Step {
  /// What it executes, as it could be typed or found.
  ///
  /// - Parameter place: returns the place of the function at a position.
  func text(_ place: (_ position: Int) -> String?) -> String {
    switch self {
    case .line(let line): String(exactly: LazyText.shown(line))
    case .script(let script): String(exactly: LazyText.shown(script.text))
    case .program(let words):
      words.map { String(exactly: LazyText.shown($0)).quotedForShell }.joined(separator: " ")
    case .command(let need): need.name
    case .function(let position): "function at \(place(position) ?? "?")"
    }
  }
}
