/// The language of the text being edited, as far as an editor needs to know it.
public protocol EditorDelegate: AnyObject {
  /// Whether the text can be given as it is: Enter then ends the entry instead of the line.
  func isComplete(_ text: String) -> Bool

  /// The spaces that a line begins with.
  ///
  /// - Parameters:
  ///   - text: the lines before it.
  ///   - line: what stands in it, without its own spaces.
  func indentation(after text: String, of line: String) -> Int

  /// Whether a line that consists of this word has its place by it, as `end` does.
  func reindents(_ word: String) -> Bool

  /// Styles of parts of the text, in order, without overlaps.
  func highlights(of buffer: EditBuffer) -> [StyledRange]

  /// Ways to go on at the cursor.
  func completions(of buffer: EditBuffer) -> CompletionList

  /// A line that explains what is being typed, such as the signature of the function.
  func hint(for buffer: EditBuffer) -> String?

  /// What the text probably goes on with, beyond earlier entries.
  func suggestion(for text: String) -> String?
}

extension EditorDelegate {
  /// Every text is complete.
  public func isComplete(_ text: String) -> Bool { true }
  /// Lines begin at their start.
  public func indentation(after text: String, of line: String) -> Int { 0 }
  /// No word has a place of its own.
  public func reindents(_ word: String) -> Bool { false }
  /// All text is plain.
  public func highlights(of buffer: EditBuffer) -> [StyledRange] { [] }
  /// There is no way to go on.
  public func completions(of buffer: EditBuffer) -> CompletionList { CompletionList() }
  /// There is nothing to explain.
  public func hint(for buffer: EditBuffer) -> String? { nil }
  /// Nothing is suggested.
  public func suggestion(for text: String) -> String? { nil }
}
