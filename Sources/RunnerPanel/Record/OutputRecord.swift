import Platform

/// What an execution has sent, from its beginning: lines, values, and lines of standard error, in one
/// sequence. Whoever reads it reads at a pace of its own.
///
/// The bytes stand as they were sent, with secrets masked, in blocks of runs (see `OutputRun`); JSON
/// is made of them when somebody reads. The last block is in memory, the earlier ones are in a file
/// without a name, so that the memory does not grow with the output. A block that the file does not
/// take, as the disk is full, stays in memory in place of all before it. On the loop's thread.
final class OutputRecord {
  /// The size from which a block is complete.
  static let blockSize = 64 << 10

  struct Block {
    /// The number of its first output.
    let first: Int
    let count: Int
    fileprivate let place: Place
  }

  fileprivate enum Place {
    case file(Range<Int>)
    case memory([UInt8])
  }

  /// The complete blocks.
  private(set) var blocks: [Block] = []
  /// The block to which is being added.
  private(set) var tail: [UInt8] = []
  /// The number of the first output of the tail.
  private(set) var tailFirst = 0
  /// The number of outputs.
  private(set) var count = 0
  /// The number of bytes that they had.
  private(set) var byteCount = 0
  /// The number of first outputs that are no longer there, because the disk was full.
  private(set) var lost = 0
  /// Rises when blocks are dropped, so that places in them are not valid any more.
  private(set) var generation = 0
  private var file: SpillFile?
  /// The place of the last run in the tail.
  private var lastRun: Int?

  /// Begins behind outputs that are not kept. Nothing has been added yet.
  ///
  /// - Parameter bytes: how many they had, as far as that is known.
  func lose(first number: Int, bytes: Int) {
    (count, lost, tailFirst) = (number, number, number)
    byteCount = bytes
  }

  /// Adds outputs of one kind.
  ///
  /// - Parameters:
  ///   - bytes: for lines, each with its newline.
  ///   - count: the number of outputs.
  ///   - number: the sequence number of the first; the others follow it.
  ///   - time: seconds since 1970.
  func append(
    _ kind: OutputRun.Kind, _ bytes: UnsafeRawBufferPointer, count: Int, number: Int, time: Double
  ) {
    self.count += count
    byteCount += bytes.count
    if !extend(kind, bytes, count, number, time) {
      lastRun = tail.count
      OutputRun(kind: kind, count: count, length: bytes.count, number: number, time: time)
        .write(to: &tail)
      tail.append(contentsOf: bytes)
    }
    if tail.count >= Self.blockSize { completeBlock() }
  }

  /// Adds lines to the last run if they belong together.
  private func extend(
    _ kind: OutputRun.Kind, _ bytes: UnsafeRawBufferPointer, _ count: Int, _ number: Int,
    _ time: Double
  ) -> Bool {
    guard kind.isLines, let lastRun else { return false }
    var run = OutputRun(tail, at: lastRun)
    guard run.kind == kind, run.number + run.count == number, time - run.time < 0.016 else {
      return false
    }
    run.count += count
    run.length += bytes.count
    run.overwrite(in: &tail, at: lastRun)
    tail.append(contentsOf: bytes)
    return true
  }

  private func completeBlock() {
    file = file ?? SpillFile()
    let place: Place
    if let range = tail.withUnsafeBytes({ file?.append($0) }) {
      place = .file(range)
    } else {
      // Better the latest output than the first.
      blocks = []
      file = nil
      lost = tailFirst
      generation += 1
      place = .memory(tail)
    }
    blocks.append(Block(first: tailFirst, count: count - tailFirst, place: place))
    tail.removeAll(keepingCapacity: tail.capacity <= 2 * Self.blockSize)
    tailFirst = count
    lastRun = nil
  }

  /// Releases memory that is not needed any more, as nothing is added.
  func finish() {
    if tail.capacity > tail.count + 1_024 { tail = Array(tail) }
  }

  /// The index of the block that holds an output, or the last.
  func block(of number: Int) -> Int {
    if number >= tailFirst { return blocks.count }
    var (low, high) = (0, blocks.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if blocks[middle].first <= number { low = middle } else { high = middle }
    }
    return low
  }

  /// The number of the first output of a block.
  func first(of block: Int) -> Int {
    block < blocks.count ? blocks[block].first : tailFirst
  }

  /// The bytes of a complete block; nil if the file does not give them back.
  func read(_ block: Int) -> [UInt8]? {
    switch blocks[block].place {
    case .file(let range): file?.read(range)
    case .memory(let bytes): bytes
    }
  }
}
