/// The meaning of a part of the screen; a `Theme` maps it to a colour.
public enum Style: UInt8, Hashable, Sendable, CaseIterable {
  case plain
  case prompt
  case keyword, name, string, number, comment, symbol
  /// A name that is not defined.
  case unknown
  /// An invalid text, such as a bracket without a partner.
  case error
  /// The bracket at the cursor and its partner.
  case match
  /// A suggestion that is not yet part of the text.
  case suggestion
  case menu, selected, detail
}

/// The terminal colours for each style.
public struct Theme: Sendable {
  // A function, because the first prompt would wait for the making of a dictionary's type.
  private let parameters: @Sendable (Style) -> String

  /// - Parameter parameters: returns the parameters of `ESC [ … m` for a style, such as `1;34`;
  ///   empty for plain text.
  public init(_ parameters: @escaping @Sendable (Style) -> String) {
    self.parameters = parameters
  }

  /// No colours, only attributes that distinguish a selection.
  public static let monochrome = Theme { style in
    switch style {
    case .selected: "7"
    case .match: "4"
    default: ""
    }
  }

  /// The theme for a terminal with colours.
  public static let standard = Theme { style in
    switch style {
    case .prompt: "1"
    case .keyword: "35"
    case .string: "32"
    case .number: "36"
    case .unknown: "2"
    case .error: "31"
    case .match: "1;4"
    case .comment, .suggestion, .detail: "90"
    case .selected: "7"
    case .plain, .name, .symbol, .menu: ""
    }
  }

  func sequence(_ style: Style) -> String {
    let parameters = parameters(style)
    return parameters.isEmpty ? "\u{1B}[0m" : "\u{1B}[0;\(parameters)m"
  }
}

/// A part of a text with a style; positions count characters.
public struct StyledRange: Equatable, Sendable {
  /// The characters that have the style.
  public var range: Range<Int>
  /// Their style.
  public var style: Style

  /// Creates a styled range of characters.
  public init(_ range: Range<Int>, _ style: Style) {
    self.range = range
    self.style = style
  }
}
