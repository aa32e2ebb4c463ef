/// What happens in each frame of time, written as text.
///
/// | Text | Meaning |
/// |---|---|
/// | `-` | a frame in which nothing happens |
/// | `a` | a frame with a value; any character without a meaning of its own |
/// | `'text'` | a frame with a value that is written with several characters, or with none |
/// | `\|` | a frame with the completion |
/// | `#` | a frame with an error |
/// | `^` | a frame in which the subscription is made, before everything else in it |
/// | `!` | a frame in which the subscription is disposed, before everything else in it |
/// | `( )` | one frame in which everything between the parentheses happens, in that order |
///
/// Spaces mean nothing, so that diagrams can be aligned. Unlike RxJS, a group takes one frame
/// whatever its length: `(ab)-c` has three frames, and what happens in each of them can be written.
/// A diagram without `^` is subscribed in its first frame.
public struct MarbleDiagram: Sendable {
  /// One thing that happens.
  public enum Mark: Sendable, Hashable {
    /// A value, by its text.
    case value(String)
    /// The completion.
    case completed
    /// An error, whichever.
    case error
    /// The subscription is made.
    case subscription
    /// The subscription is disposed.
    case disposal
  }

  /// What happens in each frame, in order.
  public var frames: [[Mark]]

  /// A diagram of frames.
  public init(frames: [[Mark]] = []) {
    self.frames = frames
  }

  /// A diagram from its text.
  ///
  /// - Throws: `MarbleSyntaxError` with the position of what is wrong.
  public init(_ text: String) throws(MarbleSyntaxError) {
    var parser = MarbleParser(text)
    frames = try parser.parse()
  }

  /// Adds a mark to a frame.
  mutating func add(_ mark: Mark, atFrame number: Int) {
    while frames.count <= number { frames.append([]) }
    frames[number].append(mark)
  }

  /// The frame of the first mark that is `mark`.
  func frame(of mark: Mark) -> Int? {
    frames.firstIndex { $0.contains(mark) }
  }

  var lastFrame: Int { max(frames.count - 1, 0) }

  /// The same happenings without what makes no difference: empty frames at the end, and a
  /// subscription in the first frame.
  var canonical: MarbleDiagram {
    var frames = frames
    if let first = frames.first { frames[0] = first.filter { $0 != .subscription } }
    while let last = frames.last, last.isEmpty { frames.removeLast() }
    return MarbleDiagram(frames: frames)
  }
}

extension MarbleDiagram: Hashable {
  /// Whether the same happens in both: empty frames at the end, and a subscription in the first
  /// frame, make no difference.
  public static func == (one: MarbleDiagram, other: MarbleDiagram) -> Bool {
    one.canonical.frames == other.canonical.frames
  }

  /// Hashes what happens.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(canonical.frames)
  }
}

extension MarbleDiagram: CustomStringConvertible {
  /// The shortest text of the diagram.
  public var description: String {
    canonical.frames.map { Self.text(of: $0) }.joined()
  }

  /// The text of one frame.
  static func text(of frame: [Mark]) -> String {
    switch frame.count {
    case 0: "-"
    case 1: text(of: frame[0])
    default: "(" + frame.map { text(of: $0) }.joined() + ")"
    }
  }

  private static func text(of mark: Mark) -> String {
    switch mark {
    case .value(let text):
      text.count == 1 && !MarbleParser.isReserved(text.first) ? text : "'\(text)'"
    case .completed: "|"
    case .error: "#"
    case .subscription: "^"
    case .disposal: "!"
    }
  }
}
