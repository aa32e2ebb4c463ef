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
  /// The parameters of `ESC [ … m` for each style, by raw value.
  private var parameters: [String]

  /// - Parameter parameters: the parameters of styles that differ from plain text, such as `1;34`.
  public init(_ parameters: [Style: String]) {
    self.parameters = Style.allCases.map { parameters[$0] ?? "" }
  }

  /// No colours, only attributes that distinguish a selection.
  public static let monochrome = Theme([.selected: "7", .match: "4"])

  /// The theme for a terminal with colours.
  public static let standard = Theme([
    .prompt: "1", .keyword: "35", .string: "32", .number: "36", .comment: "90", .unknown: "2",
    .error: "31", .match: "1;4", .suggestion: "90", .menu: "", .selected: "7", .detail: "90",
  ])

  func sequence(_ style: Style) -> String {
    let parameters = parameters[Int(style.rawValue)]
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
