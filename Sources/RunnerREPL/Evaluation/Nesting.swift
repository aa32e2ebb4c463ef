import LuaRuntime
import RunnerCore

/// Counts the open brackets and blocks of a chunk, line by line.
struct Nesting {
  private(set) var depth = 0
  private(set) var lines = 0
  private var isInsideString = false

  /// - Parameters:
  ///   - line: the next line of the chunk.
  ///   - text: the chunk with that line.
  mutating func add(_ line: [UInt8], of text: [UInt8]) {
    lines += 1
    // A long string or comment can only be parsed from its beginning.
    let source = isInsideString ? text : line
    if isInsideString { depth = 0 }
    isInsideString = false
    let tokens = LuaTokens(source)
    for token in tokens {
      switch token.kind {
      case .unfinished: isInsideString = true
      case .name, .symbol: depth += LuaBlock.change(by: tokens.text(token))
      default: break
      }
    }
  }
}
