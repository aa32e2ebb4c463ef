import Platform

/// A place in the record of an execution's output, from which somebody reads.
///
/// It keeps the one block that it reads from the file, and no more.
struct OutputCursor {
  private let record: OutputRecord
  /// The number of the output that is read next.
  private(set) var next: Int
  private var block = 0
  /// The place of the current run's header in the block.
  private var run = 0
  /// The number of outputs of the run that have been read, and the place behind them.
  private var line = 0
  private var byte = OutputRun.headerSize
  private var generation: Int
  private var cache: (block: Int, bytes: [UInt8])?

  /// A place before an output; a negative number counts from the end.
  init(_ record: OutputRecord, from number: Int) {
    self.record = record
    let number = number < 0 ? record.count + number : number
    next = min(max(number, record.lost), record.count)
    generation = record.generation
    seek()
  }

  /// True if everything that is there has been read.
  var isAtEnd: Bool { next >= record.count }

  /// The number of outputs that have not been read.
  var left: Int { record.count - next }

  /// The sequence number of the output that is read next; nil at the end.
  var sequence: Int? {
    mutating get {
      var sequence: Int?
      read { output in
        sequence = output.sequence
        return false
      }
      return sequence
    }
  }

  /// An output as it is read; the bytes are valid during the call.
  struct Output {
    let number: Int
    let run: OutputRun
    /// The position in its run.
    let index: Int
    let bytes: UnsafeRawBufferPointer

    var sequence: Int { run.number + index }
  }

  /// Calls `body` with one output after the other, until it returns false or all have been read.
  mutating func read(_ body: (Output) -> Bool) {
    if generation != record.generation {
      generation = record.generation
      next = max(next, record.lost)
      cache = nil
      seek()
    }
    while !isAtEnd {
      let isContinued: Bool
      if block < record.blocks.count {
        guard let bytes = cached() else {
          // The file is not readable any more: go on with what is in memory.
          next = record.tailFirst
          (block, run) = (record.blocks.count, 0)
          enterRun()
          continue
        }
        isContinued = bytes.withUnsafeBytes { read($0, body) }
      } else {
        isContinued = record.tail.withUnsafeBytes { read($0, body) }
      }
      if !isContinued { return }
      guard block < record.blocks.count else { return }
      block += 1
      run = 0
      enterRun()
    }
  }

  private mutating func cached() -> [UInt8]? {
    if let cache, cache.block == block { return cache.bytes }
    guard let bytes = record.read(block) else { return nil }
    cache = (block, bytes)
    return bytes
  }

  private mutating func enterRun() {
    line = 0
    byte = run + OutputRun.headerSize
  }

  /// Reads to the end of a block.
  ///
  /// - Returns: false if `body` did.
  private mutating func read(_ bytes: UnsafeRawBufferPointer, _ body: (Output) -> Bool) -> Bool {
    while run < bytes.count {
      let header = OutputRun(bytes, at: run)
      let end = run + OutputRun.headerSize + header.length
      while line < header.count {
        let stop = header.kind.isLines ? Self.newline(in: bytes, from: byte, to: end) : end
        let output = Output(
          number: next, run: header, index: line,
          bytes: UnsafeRawBufferPointer(rebasing: bytes[byte..<stop]))
        guard body(output) else { return false }
        line += 1
        byte = header.kind.isLines ? stop + 1 : stop
        next += 1
      }
      // The last run of the tail may still grow.
      if end >= bytes.count, block >= record.blocks.count { return true }
      run = end
      enterRun()
    }
    return true
  }

  private static func newline(in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int
  {
    guard let base = bytes.baseAddress, let found = memchr(base + start, 10, end - start) else {
      return end
    }
    return UnsafeRawPointer(found) - base
  }

  /// Goes to the block and the run of `next`.
  private mutating func seek() {
    block = record.block(of: next)
    run = 0
    enterRun()
    let target = next
    next = record.first(of: block)
    guard next < target else { return }
    read { $0.number < target }
  }
}
