/// The end of a record, for those who keep it beyond the panel.
extension OutputRecord {
  /// The last outputs, of a block or two, and the number of the first of them.
  var end: (first: Int, bytes: [UInt8]) {
    guard tail.count < Self.blockSize / 8, let last = blocks.last,
      let bytes = read(blocks.count - 1)
    else { return (tailFirst, tail) }
    return (last.first, bytes + tail)
  }

  /// Calls `body` with each run in bytes that `end` has given; what is not whole is left out.
  static func forEachRun(
    of bytes: [UInt8], _ body: (OutputRun, UnsafeRawBufferPointer) -> Void
  ) {
    bytes.withUnsafeBytes { bytes in
      var place = 0
      while place + OutputRun.headerSize <= bytes.count {
        let run = OutputRun(bytes, at: place)
        place += OutputRun.headerSize
        guard run.length >= 0, run.count > 0, run.length <= bytes.count - place else { return }
        body(run, UnsafeRawBufferPointer(rebasing: bytes[place..<place + run.length]))
        place += run.length
      }
    }
  }
}
