/// One line of a `.gitignore` file. Bytes count, not characters.
///
/// The semantics are those of git: `gitignore(5)`, and where that is silent, what `git check-ignore`
/// does.
struct GitPattern {
  /// True if the line begins with `!`: what it matches is not ignored.
  let isNegated: Bool
  /// True if it ends with a slash: it matches folders only.
  let isFolderOnly: Bool
  /// True if it has a slash elsewhere: it matches the way from the folder of the file, else a name.
  private let isPath: Bool
  /// What precedes the first character with a meaning, which is compared as it stands.
  private let prefix: ArraySlice<UInt8>
  private let rest: [UInt8]

  /// Parses a line without its newline; nil if it is empty or a comment.
  init?(line: some Collection<UInt8>) {
    // git's lines are C strings.
    var text = Self.trimmed(Array(line.prefix { $0 != 0 }))[...]
    guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
    isNegated = first == UInt8(ascii: "!")
    if isNegated { text.removeFirst() }
    isFolderOnly = text.last == UInt8(ascii: "/")
    if isFolderOnly { text.removeLast() }
    isPath = text.contains(UInt8(ascii: "/"))
    if isPath, text.first == UInt8(ascii: "/") { text.removeFirst() }
    prefix = text.prefix { !"*?[\\".utf8.contains($0) }
    rest = Array(text.dropFirst(prefix.count))
  }

  /// A line without the return and the spaces at its end; a backslash keeps a space.
  private static func trimmed(_ line: [UInt8]) -> [UInt8] {
    var end = line.last == 13 ? line.count - 1 : line.count
    var kept = 0
    var index = 0
    while index < end {
      if line[index] == UInt8(ascii: "\\") {
        index += 1
        // A backslash that is the last character keeps what precedes it.
        guard index < end else { return Array(line[..<end]) }
        kept = index + 1
      } else if line[index] != 32 {
        kept = index + 1
      }
      index += 1
    }
    end = kept
    return Array(line[..<end])
  }

  /// Returns true if it matches a path, given by its names from the folder of the file on.
  func matches(_ names: ArraySlice<[UInt8]>, isFolder: Bool) -> Bool {
    guard isFolder || !isFolderOnly, let name = names.last else { return false }
    let text = isPath ? Array(names.joined(separator: [UInt8(ascii: "/")])) : name
    guard text.starts(with: prefix) else { return false }
    return Wildmatch(rest, crossesSlashes: !isPath).matches(Array(text.dropFirst(prefix.count)))
  }
}

/// A pattern of `wildmatch`, the function with which git compares patterns and paths.
private struct Wildmatch {
  private let pattern: [UInt8]
  /// True if `*`, `?` and brackets match slashes.
  private let crossesSlashes: Bool

  init(_ pattern: [UInt8], crossesSlashes: Bool) {
    self.pattern = pattern
    self.crossesSlashes = crossesSlashes
  }

  private static let slash = UInt8(ascii: "/")
  private static let star = UInt8(ascii: "*")
  private static let backslash = UInt8(ascii: "\\")

  func matches(_ text: [UInt8]) -> Bool {
    var refuted = Set<Int>()
    return matches(0, text, 0, &refuted)
  }

  /// Returns true if the pattern from `place` on matches the text from `index` on.
  ///
  /// - Parameter refuted: the stars and indexes from which there is no match, so that the time is at
  ///   most the product of both lengths for each byte.
  private func matches(
    _ place: Int, _ text: [UInt8], _ index: Int, _ refuted: inout Set<Int>
  ) -> Bool {
    var (place, index) = (place, index)
    while place < pattern.count {
      if pattern[place] == Self.star {
        let key = place * (text.count + 1) + index
        if refuted.contains(key) { return false }
        if matchesStars(at: place, text, index, &refuted) { return true }
        refuted.insert(key)
        return false
      }
      guard index < text.count else { return false }
      let byte = text[index]
      switch pattern[place] {
      case UInt8(ascii: "?"):
        guard crossesSlashes || byte != Self.slash else { return false }
        place += 1
      case UInt8(ascii: "["):
        guard let (contains, next) = set(at: place + 1, byte), contains,
          crossesSlashes || byte != Self.slash
        else { return false }
        place = next
      case Self.backslash:
        guard place + 1 < pattern.count, pattern[place + 1] == byte else { return false }
        place += 2
      case let literal:
        guard literal == byte else { return false }
        place += 1
      }
      index += 1
    }
    return index == text.count
  }

  private func matchesStars(
    at place: Int, _ text: [UInt8], _ index: Int, _ refuted: inout Set<Int>
  ) -> Bool {
    var next = place
    while next < pattern.count, pattern[next] == Self.star { next += 1 }
    var goesFurther = crossesSlashes
    if !goesFurther, next - place > 1, place == 0 || pattern[place - 1] == Self.slash {
      if next == pattern.count || pattern[next...].starts(with: "\\/".utf8) {
        goesFurther = true
      } else if pattern[next] == Self.slash {
        // Any number of folders, also none.
        if matches(next + 1, text, index, &refuted) { return true }
        goesFurther = true
      }
    }
    var index = index
    while true {
      if matches(next, text, index, &refuted) { return true }
      guard index < text.count, goesFurther || text[index] != Self.slash else { return false }
      index += 1
    }
  }

  /// Returns whether a set in brackets contains a byte, and the place behind it; nil if the set is
  /// not closed or names a class that does not exist, so that the pattern matches nothing.
  ///
  /// - Parameter place: behind the opening bracket.
  private func set(at place: Int, _ byte: UInt8) -> (contains: Bool, next: Int)? {
    var place = place
    var isNegated = false
    if place < pattern.count, "!^".utf8.contains(pattern[place]) {
      isNegated = true
      place += 1
    }
    var contains = false
    var former: UInt8?
    var isFirst = true
    while place < pattern.count {
      var character = pattern[place]
      if character == UInt8(ascii: "]"), !isFirst { return (contains != isNegated, place + 1) }
      isFirst = false
      if character == UInt8(ascii: "-"), let low = former, place + 1 < pattern.count,
        pattern[place + 1] != UInt8(ascii: "]")
      {
        place += 1
        if pattern[place] == Self.backslash { place += 1 }
        guard place < pattern.count else { return nil }
        if low <= byte, byte <= pattern[place] { contains = true }
        former = nil
        place += 1
        continue
      }
      if character == UInt8(ascii: "["), place + 1 < pattern.count,
        pattern[place + 1] == UInt8(ascii: ":")
      {
        guard let close = pattern[(place + 2)...].firstIndex(of: UInt8(ascii: "]")) else {
          return nil
        }
        if close > place + 2, pattern[close - 1] == UInt8(ascii: ":") {
          guard let ranges = CharacterClass.ranges(named: pattern[(place + 2)..<(close - 1)]) else {
            return nil
          }
          if ranges.contains(where: { $0.contains(byte) }) { contains = true }
          former = nil
          place = close + 1
          continue
        }
      }
      if character == Self.backslash {
        place += 1
        guard place < pattern.count else { return nil }
        character = pattern[place]
      }
      if character == byte { contains = true }
      former = character
      place += 1
    }
    return nil
  }
}
