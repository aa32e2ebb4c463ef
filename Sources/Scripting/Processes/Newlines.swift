import Platform

private let newline: UInt8 = 10

/// Calls `body` with each line that ends with a newline, until it returns false.
func forEachLine(of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool) {
  var rest = text
  while let base = rest.baseAddress, let end = memchr(base, Int32(newline), rest.count) {
    let length = UnsafeRawPointer(end) - base
    guard body(UnsafeRawBufferPointer(rebasing: rest[..<length])) else { return }
    rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
  }
}

/// Returns the number of newlines.
///
/// Written so that the compiler uses the processor's vector registers: indexed, with a single exit
/// from the inner loop, and counting in a byte.
func countNewlines(in text: UnsafeRawBufferPointer) -> Int {
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
