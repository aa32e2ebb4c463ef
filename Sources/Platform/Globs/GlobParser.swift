/// Makes lists of patterns, and parses each pattern once although it may be in many of them.
public struct GlobParser {
  private var known: [String: [GlobPattern]] = [:]

  /// Makes a parser that knows no pattern.
  public init() {}

  /// Parses the patterns.
  ///
  /// - Throws: `GlobError` for the first that cannot be parsed.
  public mutating func glob(_ patterns: [String]) throws(GlobError) -> Glob {
    var parsed: [GlobPattern] = []
    for pattern in patterns { parsed += try parse(pattern) }
    return try Glob(parsed: parsed)
  }

  private mutating func parse(_ pattern: String) throws(GlobError) -> [GlobPattern] {
    if let parsed = known[pattern] { return parsed }
    let parsed = try GlobPattern.parse(pattern)
    known[pattern] = parsed
    return parsed
  }
}
