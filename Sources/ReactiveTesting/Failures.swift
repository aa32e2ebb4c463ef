/// The error that `#` stands for in the diagram of a source, unless the test gives another.
public enum MarbleError: Error, Hashable {
  /// The only one.
  case failure
}

/// A marble diagram that cannot be read.
public struct MarbleSyntaxError: Error, Hashable {
  /// What is wrong.
  public enum Problem: Sendable, Hashable {
    /// A group has no `)`.
    case openGroup
    /// A `)` without its `(`.
    case unopenedGroup
    /// A group inside a group.
    case nestedGroup
    /// A `-` inside a group, which is a single frame.
    case frameInGroup
    /// A quoted value has no closing quote.
    case openQuote
    /// Something is sent after the end of the stream.
    case eventAfterEnd
    /// A second `^` or `!`.
    case repeatedMark
  }

  /// What is wrong.
  public let problem: Problem
  /// The diagram.
  public let text: String
  /// The character that is wrong, counted from zero, spaces included.
  public let position: Int

  package init(problem: Problem, text: String, position: Int) {
    self.problem = problem
    self.text = text
    self.position = position
  }
}

/// A diagram that can be read but not used as the source of a signal.
public enum MarbleSourceError: Error, Hashable {
  /// A mark for which the test has no value.
  case unknownValue(String, diagram: String)
  /// A `^` or `!` where nobody can subscribe or dispose.
  case misplacedMark(String, diagram: String)
}

/// Work that should not be waiting in a `TestScheduler`.
public enum TestSchedulerError: Error, Hashable {
  /// Work is scheduled, for these times.
  case pending([Duration])
  /// After `limit` pieces of work there is still more, as with a timer that nobody disposes.
  case endless(limit: Int, pending: [Duration])
}

/// A signal that did not send what its diagram says.
public struct MarbleMismatch: Error, Hashable {
  /// What the test expects.
  public let expected: MarbleDiagram
  /// What was recorded.
  public let actual: MarbleDiagram
  /// The rules of a subscription that were broken.
  public let violations: [RuleViolation]

  package init(expected: MarbleDiagram, actual: MarbleDiagram, violations: [RuleViolation]) {
    self.expected = expected
    self.actual = actual
    self.violations = violations
  }
}

/// A rule of a subscription that a signal broke.
public enum RuleViolation: Sendable, Hashable {
  /// Something was sent after a terminal event.
  case eventAfterEnd
  /// Something was sent after the subscription was disposed.
  case eventAfterDisposal
  /// A second event came while one was being received.
  case overlappingEvents
}

// MARK: Texts

extension MarbleSyntaxError: CustomStringConvertible {
  /// What is wrong, with the diagram and a mark below the place.
  public var description: String {
    let what =
      switch problem {
      case .openGroup: "a group is not closed"
      case .unopenedGroup: "a ')' closes no group"
      case .nestedGroup: "a group inside a group"
      case .frameInGroup: "a '-' inside a group, which is one frame"
      case .openQuote: "a quoted value is not closed"
      case .eventAfterEnd: "an event after the end of the stream"
      case .repeatedMark: "'^' and '!' can stand in a diagram only once"
      }
    return """
      \(what), at position \(position):
        \(text)
        \(String(repeating: " ", count: position))^
      """
  }
}

extension MarbleSourceError: CustomStringConvertible {
  /// What cannot be used, and the diagram.
  public var description: String {
    switch self {
    case .unknownValue(let mark, let diagram): "no value is given for '\(mark)' in \(diagram)"
    case .misplacedMark(let mark, let diagram): "'\(mark)' has no meaning in a source: \(diagram)"
    }
  }
}

extension TestSchedulerError: CustomStringConvertible {
  /// How much is scheduled, and when.
  public var description: String {
    switch self {
    case .pending(let times):
      "\(times.count) pieces of work are still scheduled: \(Self.list(times))"
    case .endless(let limit, let times):
      "after \(limit) pieces of work there is still more: \(Self.list(times))"
    }
  }

  private static func list(_ times: [Duration]) -> String {
    let shown = times.prefix(5).map { "\($0)" }.joined(separator: ", ")
    return times.count > 5 ? shown + ", …" : shown
  }
}

extension MarbleMismatch: CustomStringConvertible {
  /// Both diagrams one above the other, a mark below each frame that differs, and the rules broken.
  public var description: String {
    var lines = ["the signal did not send what was expected"]
    if expected != actual { lines += MarbleComparison(expected, actual).lines }
    for violation in violations { lines.append("rule broken: \(violation)") }
    return lines.joined(separator: "\n")
  }
}

extension RuleViolation: CustomStringConvertible {
  /// The rule.
  public var description: String {
    switch self {
    case .eventAfterEnd: "nothing may follow a terminal event"
    case .eventAfterDisposal: "nothing may be sent after disposal"
    case .overlappingEvents: "events may come only one at a time"
    }
  }
}
