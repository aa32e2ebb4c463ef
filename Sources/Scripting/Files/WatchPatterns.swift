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

  /// Returns a pattern of a folder as one of the folder that it is relative to, without names that a
  /// following `..` leaves.
  public static func pattern(_ pattern: String, in folder: String) -> String {
    let mark = pattern.hasPrefix("!") ? "!" : ""
    let bare = String(pattern.dropFirst(mark.count))
    let isHere = folder.isEmpty || folder == "."
    let start = isHere ? "" : escaped(folder) + (folder.hasSuffix("/") ? "" : "/")
    let place = { (part: String) in
      let placed = direct(part.hasPrefix("/") ? part : start + part)
      // A name behind `./` may begin with the mark of an exclude.
      return placed.hasPrefix("!") && !part.hasPrefix("!") ? "\\" + placed : placed
    }
    let placed = place(bare)
    guard bare.utf8.contains(UInt8(ascii: "{")), let parts = try? Glob.alternatives(of: bare),
      parts.count > 1
    else { return mark + placed }
    // An empty alternative stands for nothing, and not for the folder.
    let alternatives = parts.map { $0.isEmpty ? "" : place($0) }
    let isPlaced = (try? Glob.alternatives(of: placed)) == alternatives
    return mark + (isPlaced ? placed : braces(alternatives))
  }

  /// Returns a pattern without names that a following `..` leaves; those behind a wildcard stay.
  private static func direct(_ pattern: String) -> String {
    FilePath.direct(pattern) { prefix in
      guard let paths = try? Glob([prefix]).requiredPaths, paths.count == 1 else { return nil }
      return paths[0]
    }
  }

  /// Returns the pattern that matches only a path.
  public static func escaped(_ path: String) -> String {
    path.reduce(into: "") { text, character in
      if "*?[]{}\\!".contains(character) { text += "\\" }
      text.append(character)
    }
  }

  /// Returns a pattern without braces that may match nothing, by the empty alternative in its braces.
  public static func optional(_ pattern: String) -> String { braces([pattern, ""]) }

  /// Returns the pattern that stands for several without braces.
  private static func braces(_ patterns: [String]) -> String {
    let parts = patterns.map { pattern in
      var isEscaped = false
      return pattern.reduce(into: "") { text, character in
        if !isEscaped, ",{}".contains(character) { text += "\\" }
        isEscaped = character == "\\" && !isEscaped
        text.append(character)
      }
    }
    return "{\(parts.joined(separator: ","))}"
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
