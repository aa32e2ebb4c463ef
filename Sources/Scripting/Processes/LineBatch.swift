import LuaRuntime
import Reactive

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Lines of a process's output that travel in one piece, and are strings for those who look at them.
public final class LineBatch: Batch<LuaValue>, @unchecked Sendable {
  // Unchecked as every batch is; what it adds is immutable.

  /// The lines, each with its newline.
  public let text: [UInt8]

  /// - Parameter text: lines, at least one, each with its newline.
  init(_ text: [UInt8]) {
    self.text = text
    super.init(count: text.withUnsafeBytes(countNewlines))
  }

  public override func forEach(
    from start: Int, while condition: () -> Bool, _ body: (LuaValue) -> Void
  ) {
    text.withUnsafeBytes { text in
      var rest = text
      var index = 0
      while let base = rest.baseAddress, let end = memchr(base, Int32(newline), rest.count) {
        let length = UnsafeRawPointer(end) - base
        if index >= start {
          guard condition() else { return }
          body(.string(LuaString(UnsafeRawBufferPointer(rebasing: rest[..<length]))))
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        index += 1
      }
    }
  }
}

private let newline: UInt8 = 10

/// Written so that the compiler uses the processor's wide registers: by index, with one way out of the
/// inner loop, and counting in a byte.
private func countNewlines(in text: UnsafeRawBufferPointer) -> Int {
  guard let bytes = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
  var count = 0
  var start = 0
  while start < text.count {
    let block = bytes + start
    let length = min(255, text.count - start)
    var found: UInt8 = 0
    var index = 0
    while index < length {
      found &+= block[index] == newline ? 1 : 0
      index &+= 1
    }
    count &+= Int(found)
    start &+= length
  }
  return count
}
