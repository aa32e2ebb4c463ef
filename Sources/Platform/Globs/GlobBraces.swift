/// Expands the braces of a pattern: `{a,b}/c` becomes `a/c` and `b/c`. Braces without a comma of their
/// own stay as they are.
struct GlobBraces {
  private let pattern: String
  private var count = 0

  init(_ pattern: String) { self.pattern = pattern }

  mutating func expand(_ bytes: ArraySlice<UInt8>) throws(GlobError) -> [[UInt8]] {
    var start = bytes.startIndex
    while let open = firstBrace(in: bytes[start...]) {
      let (alternatives, rest) = try alternatives(bytes[(open + 1)...])
      if alternatives.count > 1 {
        var expanded: [[UInt8]] = []
        for alternative in alternatives {
          expanded += try expand(bytes[..<open] + alternative + rest)
        }
        return expanded
      }
      start = open + 1
    }
    count += 1
    if count > GlobPattern.mostAlternatives { throw .tooManyAlternatives(pattern: pattern) }
    return [Array(bytes)]
  }

  private func firstBrace(in bytes: ArraySlice<UInt8>) -> Int? {
    var found: Int?
    scan(bytes) { index, byte in
      if byte == UInt8(ascii: "{") { found = index }
      return found == nil
    }
    return found
  }

  /// Splits what follows an opening brace at the commas of its level.
  private func alternatives(
    _ bytes: ArraySlice<UInt8>
  ) throws(GlobError) -> ([ArraySlice<UInt8>], rest: ArraySlice<UInt8>) {
    var found: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var end: Int?
    var depth = 0
    scan(bytes) { index, byte in
      switch byte {
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}") where depth > 0: depth -= 1
      case UInt8(ascii: "}"):
        found.append(bytes[start..<index])
        end = index
      case UInt8(ascii: ",") where depth == 0:
        found.append(bytes[start..<index])
        start = index + 1
      default: break
      }
      return end == nil
    }
    guard let end else { throw .unclosed(pattern: pattern, bracket: "{") }
    return (found, bytes[(end + 1)...])
  }

  /// Passes each byte that is neither escaped nor in brackets to `body`, until it returns false.
  private func scan(_ bytes: ArraySlice<UInt8>, _ body: (Int, UInt8) -> Bool) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "["):
        // The first character of a class may be a bracket itself.
        var first = index + 1
        if first < bytes.endIndex, "!^".utf8.contains(bytes[first]) { first += 1 }
        if let close = bytes[min(first + 1, bytes.endIndex)...].firstIndex(of: UInt8(ascii: "]")) {
          index = close
        }
      case let byte: if !body(index, byte) { return }
      }
      index += 1
    }
  }
}
