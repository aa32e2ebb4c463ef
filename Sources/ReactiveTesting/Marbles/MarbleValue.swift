import Reactive

/// A value that marble diagrams can write down without a dictionary: strings, characters, integers,
/// booleans (`t` and `f`), optionals (`nil` is `_`), and arrays of one-character values.
public protocol MarbleValue: Sendable {
  /// The value that a marble stands for; nil if it stands for none.
  init?(marble: String)

  /// How the value looks in a diagram.
  var marble: String { get }
}

extension String: MarbleValue {
  /// The text itself.
  public init?(marble: String) { self = marble }

  /// The string.
  public var marble: String { self }
}

extension Character: MarbleValue {
  /// A single character.
  public init?(marble: String) {
    guard marble.count == 1, let character = marble.first else { return nil }
    self = character
  }

  /// The character.
  public var marble: String { String(self) }
}

extension Int: MarbleValue {
  /// A decimal number.
  public init?(marble: String) { self.init(marble) }

  /// The decimal digits.
  public var marble: String { String(self) }
}

extension Bool: MarbleValue {
  /// `t` or `f`.
  public init?(marble: String) {
    switch marble {
    case "t": self = true
    case "f": self = false
    default: return nil
    }
  }

  /// `t` or `f`.
  public var marble: String { self ? "t" : "f" }
}

extension Optional: MarbleValue where Wrapped: MarbleValue {
  /// `_` for nil, or the wrapped value.
  public init?(marble: String) {
    if marble == "_" {
      self = .none
    } else {
      guard let wrapped = Wrapped(marble: marble) else { return nil }
      self = wrapped
    }
  }

  /// `_` for nil, or the wrapped value.
  public var marble: String { self?.marble ?? "_" }
}

extension Array: MarbleValue where Element: MarbleValue {
  /// One element for each character.
  public init?(marble: String) {
    self = []
    for character in marble {
      guard let element = Element(marble: String(character)) else { return nil }
      append(element)
    }
  }

  /// The elements without anything between them.
  public var marble: String { map(\.marble).joined() }
}

extension Event: MarbleValue where Value: MarbleValue {
  /// `|`, `#`, or a value.
  public init?(marble: String) {
    switch marble {
    case "|": self = .completed
    case "#": self = .error(MarbleError.failure)
    default:
      guard let value = Value(marble: marble) else { return nil }
      self = .next(value)
    }
  }

  /// `|`, `#`, or the value.
  public var marble: String {
    switch self {
    case .next(let value): value.marble
    case .error: "#"
    case .completed: "|"
    }
  }
}

extension MarbleDiagram {
  /// How any value looks in a diagram: its `marble`, or else its description.
  public static func text(ofValue value: some Sendable) -> String {
    (value as? any MarbleValue)?.marble ?? String(describing: value)
  }
}
