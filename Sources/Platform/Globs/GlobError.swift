/// A pattern that cannot be used, or a folder that cannot be searched.
public enum GlobError: Error, Equatable, CustomStringConvertible {
  /// A pattern is empty, or is only `!`.
  case empty
  /// A pattern contains a zero byte, which no path does.
  case zeroByte(pattern: String)
  /// A bracket is opened and not closed.
  case unclosed(pattern: String, bracket: Character)
  /// A range of characters ends before it begins.
  case reversedRange(pattern: String)
  /// Brackets contain a class of characters that does not exist.
  case unknownClass(pattern: String, name: String)
  /// The braces of a pattern make too many patterns.
  case tooManyAlternatives(pattern: String)
  /// All patterns exclude, so that nothing can match.
  case onlyExcludes
  /// A folder cannot be read; `code` is the system's error number.
  case unreadable(folder: String, code: Int32)

  /// One readable line.
  public var description: String {
    switch self {
    case .empty: "an empty pattern"
    case .zeroByte(let pattern): "the pattern '\(pattern)' contains a zero byte"
    case .unclosed(let pattern, let bracket):
      "the pattern '\(pattern)' opens '\(bracket)' and does not close it; a backslash makes it an "
        + "ordinary character"
    case .reversedRange(let pattern):
      "a range in the pattern '\(pattern)' ends before it begins; a backslash makes '[' an ordinary "
        + "character"
    case .unknownClass(let pattern, let name):
      "the pattern '\(pattern)' names a class of characters that does not exist: '[:\(name):]'"
    case .tooManyAlternatives(let pattern):
      "the braces in the pattern '\(pattern)' make more than \(GlobPattern.mostAlternatives) patterns"
    case .onlyExcludes: "all patterns begin with '!', so nothing can match"
    case .unreadable(let folder, let code):
      "cannot read the folder '\(folder)': \(systemErrorText(code))"
    }
  }
}
