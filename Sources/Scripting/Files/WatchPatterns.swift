import LuaRuntime
import Platform

/// Patterns of files to watch.
public enum WatchPatterns {
  /// Returns the patterns in a field of a definition: one, or a list.
  static func all(
    _ fields: TableFields, _ name: String, _ bad: (String) -> any Error
  ) throws -> [String] {
    let type = fields.type(name)
    let values = type == .string ? [fields[name]] : fields.list(name)
    let patterns = values.compactMap(\.stringValue?.exactText)
    guard type == .nil || type == .string || type == .table, patterns.count == values.count else {
      throw bad("field '\(name)' must be a pattern or a list of patterns")
    }
    guard type != .nil else { return [] }
    guard !patterns.isEmpty else { throw bad("field '\(name)' has no pattern") }
    do { _ = try Glob(patterns) } catch { throw bad("field '\(name)': \(error)") }
    return patterns
  }

  /// Returns a pattern of a folder as one of the folder that it is relative to.
  public static func pattern(_ pattern: String, in folder: String) -> String {
    let isExclude = pattern.hasPrefix("!")
    let bare = isExclude ? String(pattern.dropFirst()) : pattern
    if folder.isEmpty || folder == "." || bare.hasPrefix("/") { return pattern }
    let start = escaped(folder) + (folder.hasSuffix("/") ? "" : "/")
    // An empty alternative stands for nothing, and not for the folder.
    if let parts = try? Glob.alternatives(of: bare), parts.contains("") {
      return (isExclude ? "!" : "")
        + "{\(parts.map { $0.isEmpty ? "" : start + $0 }.joined(separator: ","))}"
    }
    return (isExclude ? "!" : "") + start + bare
  }

  /// Returns the pattern that matches only a path.
  public static func escaped(_ path: String) -> String {
    path.reduce(into: "") { text, character in
      if "*?[]{}\\!".contains(character) { text += "\\" }
      text.append(character)
    }
  }

  /// Returns a pattern that may match nothing, by the empty alternative in its braces.
  public static func optional(_ pattern: String) -> String {
    "{" + pattern.reduce(into: "") { $0 += $1 == "," ? "\\," : String($1) } + ",}"
  }

  /// Splits a list at its commas, except those in braces.
  public static func split(_ list: String) -> [String] {
    var parts: [String] = [""]
    var depth = 0
    for character in list {
      if character == "{" { depth += 1 }
      if character == "}" { depth -= 1 }
      if character == ",", depth <= 0 {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts.filter { !$0.isEmpty }
  }

  /// Returns true if a text has a character with a meaning in patterns.
  public static func isPattern(_ text: String) -> Bool { text.contains { "*?[{!\\".contains($0) } }
}
