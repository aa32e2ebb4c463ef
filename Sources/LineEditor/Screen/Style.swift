/// The meaning of a part of the screen; a `Theme` gives it a colour.
public enum Style: UInt8, Hashable, Sendable, CaseIterable {
  case plain
  case prompt
  case keyword, name, string, number, comment, symbol
  /// A name that means nothing here.
  case unknown
  /// A text that cannot be right, such as a bracket without its partner.
  case error
  /// The bracket at the cursor and its partner.
  case match
  /// What is offered and not yet part of the text.
  case suggestion
  case menu, selected, detail
}

/// The colours of a terminal for each style.
public struct Theme: Sendable {
  /// The parameters of `ESC [ … m` for each style, by raw value.
  private var parameters: [String]

  /// - Parameter parameters: those of the styles that differ from plain text, as `1;34`.
  public init(_ parameters: [Style: String]) {
    self.parameters = Style.allCases.map { parameters[$0] ?? "" }
  }

  /// No colours, but what distinguishes a selection.
  public static let monochrome = Theme([.selected: "7", .match: "4"])

  /// The colours for a terminal that has them.
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

  /// A range of characters with a style.
  public init(_ range: Range<Int>, _ style: Style) {
    self.range = range
    self.style = style
  }
}
