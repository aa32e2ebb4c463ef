import EventLoop
import Scripting

/// The first line of an output that looks like an error, and what follows it.
package struct FirstError {
  private static let context = 5
  /// A longer line is looked at in pieces.
  private static let longest = 4 << 10

  private var splitter = LineSplitter(limit: longest, openEnd: Secrets.openEnd)
  package private(set) var lines: [String] = []
  package var isComplete: Bool { lines.count >= Self.context }

  package init() {}

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !isComplete else { return }
    var found: [String] = []
    var hasBegun = !lines.isEmpty
    let room = Self.context - lines.count
    splitter.append(bytes) { piece in
      hasBegun = hasBegun || Self.isError(piece.bytes)
      if hasBegun, found.count < room { found.append(AgentReport.text(of: piece.bytes)) }
      return found.count < room
    }
    lines += found
  }

  /// True if a line has a word that begins with `error`, `fail` or `panic`, in letters of any case.
  package static func isError(_ line: UnsafeRawBufferPointer) -> Bool {
    for start in line.indices {
      guard let first = words[line[start] | 0x20] else { continue }
      for word in first where line.count - start >= word.count {
        if zip(line[start...], word).allSatisfy({ $0 | 0x20 == $1 }) { return true }
      }
    }
    return false
  }

  private static let words: [UInt8: [[UInt8]]] = Dictionary(
    grouping: ["error", "fail", "panic", "fatal", "exception"].map { Array($0.utf8) }
  ) { $0[0] }
}
