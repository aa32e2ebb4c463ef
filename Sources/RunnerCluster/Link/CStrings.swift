/// Calls `body` with two lists of C strings, each of which ends with null.
func withPointers<Result>(
  _ first: [String], _ second: [String],
  _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
  withPointers(first.map { Array($0.utf8) + [0] }) { first in
    withPointers(second.map { Array($0.utf8) + [0] }) { body(first, $0) }
  }
}

/// Calls `body` with a list of C strings that ends with null; each element ends with a zero, or is nil.
func withPointers<Result>(
  _ strings: [[UInt8]?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
  var pointers: [UnsafePointer<CChar>?] = []
  let copies = strings.map { string -> UnsafeMutableBufferPointer<CChar>? in
    guard let string else { return nil }
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: string.count)
    _ = copy.initialize(from: string.lazy.map { CChar(bitPattern: $0) })
    return copy
  }
  defer { for copy in copies { copy?.deallocate() } }
  for copy in copies { pointers.append(copy.map { UnsafePointer($0.baseAddress!) }) }
  pointers.append(nil)
  return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}
