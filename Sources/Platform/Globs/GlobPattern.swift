/// One pattern without braces, split into segments.
struct GlobPattern: Sendable {
  static let mostAlternatives = 1_000

  var segments: [GlobSegment] = []
  /// True if it begins with `!`: what it matches is left out.
  var isExclude = false
  var isAbsolute = false
  /// True if it ends with a slash, or with a slash and a dot: it matches folders only.
  var isFolderOnly = false
  /// True if a folder that it matches stands for what is in it.
  var takesContents = false
  /// True if its wildcards match names with a leading dot.
  var matchesHidden = false
  /// True if it stands beside an empty alternative, as in `{a,}`: it may match nothing.
  var isOptional = false
  /// True if it is the text of another pattern whose brackets are ordinary characters here.
  var isLiteral = false
  /// The segment from which on it matches names with a leading dot, but nothing that
  /// `Glob.isLeftOut` names.
  var hiddenFrom = Int.max

  /// Parses a pattern and its alternatives in braces.
  static func parse(_ pattern: String) throws(GlobError) -> [GlobPattern] {
    var bytes = pattern.exactBytes[...]
    guard !bytes.contains(0) else { throw .zeroByte(pattern: pattern) }
    let isExclude = bytes.first == UInt8(ascii: "!")
    if isExclude { bytes.removeFirst() }
    guard !bytes.isEmpty else { throw .empty }
    var braces = GlobBraces(pattern)
    var patterns: [GlobPattern] = []
    let alternatives = try braces.expand(bytes)
    for alternative in alternatives {
      // As in shells, an empty alternative stands for nothing.
      if alternative.isEmpty { continue }
      let literal = escapingBrackets(in: alternative)
      for text in literal == alternative ? [alternative] : [alternative, literal] {
        var parsed = try GlobPattern(text, of: pattern)
        parsed.isExclude = isExclude
        parsed.matchesHidden = isExclude
        parsed.isOptional = alternatives.contains { $0.isEmpty }
        parsed.isLiteral = text != alternative
        if isExclude { parsed.takesContents = true }
        patterns.append(parsed)
      }
    }
    guard !patterns.isEmpty else { throw .empty }
    return patterns
  }

  private static func escapingBrackets(in bytes: [UInt8]) -> [UInt8] {
    var escaped: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
      if byte == UInt8(ascii: "["), !isEscaped { escaped.append(UInt8(ascii: "\\")) }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      escaped.append(byte)
    }
    return escaped
  }

  /// - Parameter pattern: the whole pattern, for messages.
  init(_ bytes: some Collection<UInt8>, of pattern: String) throws(GlobError) {
    isAbsolute = bytes.first == UInt8(ascii: "/")
    isFolderOnly = false
    for part in bytes.split(separator: UInt8(ascii: "/")) {
      if part.elementsEqual(".".utf8) { continue }
      let segment = try Self.segment(Array(part), of: pattern)
      if segment == .folders, segments.last == .folders { continue }
      segments.append(segment)
    }
    // Only a folder has an entry "." behind its name.
    isFolderOnly = ["/", "/."].contains { Array(bytes.suffix($0.utf8.count)) == Array($0.utf8) }
    if segments.last == .folders { segments.append(.wildcard([.many])) }
    let isPlain = segments.allSatisfy { if case .name = $0 { true } else { false } }
    takesContents = isPlain || isFolderOnly
  }

  /// The segment behind the name of a folder whose contents it takes whole: by that name alone, or by
  /// `**` behind it; nil for other patterns.
  var contents: Int? {
    if isExclude { return nil }
    if isPlain { return segments.count }
    let names = segments.prefix { if case .name = $0 { true } else { false } }
    let rest = Array(segments.dropFirst(names.count))
    return !names.isEmpty && (rest.isEmpty || rest == [.folders, .wildcard([.many])])
      ? names.count : nil
  }

  /// True if it has no wildcards: it is the name of a file or folder.
  var isPlain: Bool { segments.allSatisfy { if case .name = $0 { true } else { false } } }

  /// The segments before the first wildcard, without a last name, as a path.
  var fixedFolder: String {
    var names: [[UInt8]] = []
    for segment in segments {
      guard case .name(let name) = segment else { break }
      names.append(name)
    }
    if names.count == segments.count, !names.isEmpty { names.removeLast() }
    let path = Array(names.joined(separator: [UInt8(ascii: "/")]))
    if isAbsolute { return "/" + String(exactly: path) }
    return path.isEmpty ? "." : String(exactly: path)
  }

  /// The path that a pattern without wildcards names.
  var plainPath: String {
    let names = segments.map { segment -> [UInt8] in
      if case .name(let name) = segment { name } else { [] }
    }
    let path = String(exactly: Array(names.joined(separator: [UInt8(ascii: "/")])))
    if isAbsolute { return "/" + path }
    return path.isEmpty ? "." : path
  }

  private static func segment(
    _ part: [UInt8], of pattern: String
  ) throws(GlobError) -> GlobSegment {
    if part == Array("**".utf8) { return .folders }
    var tokens: [GlobToken] = []
    var isPlain = true
    var index = 0
    while index < part.count {
      switch part[index] {
      case UInt8(ascii: "*"):
        isPlain = false
        if tokens.last != .many { tokens.append(.many) }
      case UInt8(ascii: "?"):
        isPlain = false
        tokens.append(.one)
      case UInt8(ascii: "["):
        isPlain = false
        tokens.append(try characterClass(part, &index, of: pattern))
      case UInt8(ascii: "\\") where index + 1 < part.count:
        index += 1
        tokens.append(.byte(part[index]))
      case let byte: tokens.append(.byte(byte))
      }
      index += 1
    }
    guard isPlain else { return .wildcard(tokens) }
    return .name(tokens.map { if case .byte(let byte) = $0 { byte } else { 0 } })
  }

  /// Parses a class such as `[:alpha:]` inside brackets; nil if there is none at `position`.
  private static func namedClass(
    _ part: [UInt8], _ position: inout Int, of pattern: String
  ) throws(GlobError) -> [ClosedRange<UInt32>]? {
    guard part[position...].starts(with: "[:".utf8),
      let close = part[(position + 2)...].firstIndex(of: UInt8(ascii: "]")),
      close > position + 2, part[close - 1] == UInt8(ascii: ":")
    else { return nil }
    let name = part[(position + 2)..<(close - 1)]
    guard let ranges = CharacterClass.ranges(named: name) else {
      throw .unknownClass(pattern: pattern, name: String(exactly: name))
    }
    position = close + 1
    return ranges.map { UInt32($0.lowerBound)...UInt32($0.upperBound) }
  }

  /// Parses `[…]`; leaves `index` at the closing bracket.
  private static func characterClass(
    _ part: [UInt8], _ index: inout Int, of pattern: String
  ) throws(GlobError) -> GlobToken {
    var position = index + 1
    var isNegated = false
    if position < part.count,
      part[position] == UInt8(ascii: "!") || part[position] == UInt8(ascii: "^")
    {
      isNegated = true
      position += 1
    }
    var ranges: [ClosedRange<UInt32>] = []
    let start = position
    func character() -> UInt32? {
      if position + 1 < part.count, part[position] == UInt8(ascii: "\\") { position += 1 }
      guard position < part.count else { return nil }
      let (value, length) = part.withUnsafeBytes { $0.character(at: position) }
      position += length
      return value
    }
    while position < part.count {
      if part[position] == UInt8(ascii: "]"), position > start {
        index = position
        return .oneOf(ranges, isNegated: isNegated)
      }
      if let named = try namedClass(part, &position, of: pattern) {
        ranges += named
        continue
      }
      guard let first = character() else { break }
      var last = first
      if position + 1 < part.count, part[position] == UInt8(ascii: "-"),
        part[position + 1] != UInt8(ascii: "]")
      {
        position += 1
        guard let end = character() else { break }
        last = end
      }
      guard first <= last else { throw .reversedRange(pattern: pattern) }
      ranges.append(first...last)
    }
    throw .unclosed(pattern: pattern, bracket: "[")
  }
}
