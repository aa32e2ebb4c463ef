/// The language of the edited text: the functions that an editor needs.
public protocol EditorDelegate: AnyObject {
  /// Returns true if the text is complete: Enter then submits the entry instead of breaking the
  /// line.
  func isComplete(_ text: String) -> Bool

  /// Returns the indentation of a line, in spaces; nil if white space has a meaning there, as inside
  /// a string.
  ///
  /// - Parameters:
  ///   - text: the lines before it.
  ///   - line: its content without indentation.
  func indentation(after text: String, of line: String) -> Int?

  /// Returns true if a line that consists of this word must be reindented, such as `end`.
  func reindents(_ word: String) -> Bool

  /// Returns the styles of parts of the text, in order, without overlaps.
  func highlights(of buffer: EditBuffer) -> [StyledRange]

  /// Returns the candidates at the cursor.
  func completions(of buffer: EditBuffer) -> CompletionList

  /// Returns a line that explains the typed text, such as the signature of the function.
  func hint(for buffer: EditBuffer) -> String?

  /// Returns a probable continuation of the text, beyond earlier entries.
  func suggestion(for text: String) -> String?
}

extension EditorDelegate {
  /// Every text is complete.
  public func isComplete(_ text: String) -> Bool { true }
  /// Lines are not indented.
  public func indentation(after text: String, of line: String) -> Int? { 0 }
  /// No word is reindented.
  public func reindents(_ word: String) -> Bool { false }
  /// All text is plain.
  public func highlights(of buffer: EditBuffer) -> [StyledRange] { [] }
  /// There are no candidates.
  public func completions(of buffer: EditBuffer) -> CompletionList { CompletionList() }
  /// There are no hints.
  public func hint(for buffer: EditBuffer) -> String? { nil }
  /// Nothing is suggested.
  public func suggestion(for text: String) -> String? { nil }
}
