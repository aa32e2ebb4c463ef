import Journal

/// The output of an execution as a journal keeps it: the end of it, after a note about the rest.
struct RecordedOutput {
  /// The longest single output of which all is kept.
  private static let longest = 64 << 10

  private(set) var lines: [RecordedLine] = []

  /// The end of a record.
  ///
  /// - Parameter start: the time from which the times of lines are counted, in seconds since 1970.
  init(_ record: OutputRecord, since start: Double) {
    let (first, bytes) = record.end
    var kept = 0
    OutputRecord.forEachRun(of: bytes) { run, bytes in
      kept += run.length
      let time = max(0, run.time - start)
      guard run.kind.isLines else {
        return add(RecordedLine.Stream(run.kind), bytes, time)
      }
      for line in bytes.dropLast().split(separator: 10, omittingEmptySubsequences: false) {
        add(RecordedLine.Stream(run.kind), UnsafeRawBufferPointer(rebasing: line), time)
      }
    }
    guard first > 0 else { return }
    let note =
      "\(first) \(first == 1 ? "line" : "lines") of output, "
      + "\(record.byteCount - kept) bytes, before the last that are kept"
    lines.insert(
      RecordedLine(time: lines.first?.time ?? 0, stream: .leftOut, bytes: Array(note.utf8)), at: 0)
  }

  /// The output that was read from a journal.
  init(_ lines: [RecordedLine]) { self.lines = lines }

  /// The last lines of standard error, as many as an error of a process has; nil if there are none.
  var lastErrors: String? {
    let errors = lines.filter { $0.stream == .errors || $0.stream == .errorChunk }
    guard !errors.isEmpty else { return nil }
    return String(
      decoding: Array(errors.suffix(20).map(\.bytes).joined(separator: [10])), as: UTF8.self)
  }

  private mutating func add(
    _ stream: RecordedLine.Stream, _ bytes: UnsafeRawBufferPointer, _ time: Double
  ) {
    // A part of a value is none.
    let isCut = bytes.count > Self.longest
    lines.append(
      RecordedLine(
        time: time, stream: isCut && stream == .value ? .output : stream,
        bytes: Array(isCut ? bytes.suffix(Self.longest) : bytes[...])))
  }

  /// Appends the output to a record that is empty.
  ///
  /// - Parameter take: takes numbers of events, and returns the first.
  func restore(in record: OutputRecord, since start: Double, numbers take: (Int) -> Int) {
    for line in lines {
      if line.stream == .leftOut, record.count == 0 {
        let numbers = Self.numbers(in: line.bytes)
        record.lose(first: numbers.first ?? 0, bytes: numbers.dropFirst().first ?? 0)
      }
      guard let kind = OutputRun.Kind(line) else { continue }
      let bytes = kind.isLines ? line.bytes + [10] : line.bytes
      bytes.withUnsafeBytes {
        record.append(kind, $0, count: 1, number: take(1), time: start + line.time)
      }
    }
  }

  /// The numbers in a note about output that was not kept: how many outputs and bytes it had.
  private static func numbers(in note: [UInt8]) -> [Int] {
    note.split { !(48...57).contains($0) }.compactMap {
      Int(digits: String(decoding: $0, as: UTF8.self))
    }
  }
}

extension RecordedLine.Stream {
  fileprivate init(_ kind: OutputRun.Kind) {
    switch kind {
    case .lines, .text: self = .output
    case .json: self = .value
    case .errorLines: self = .errors
    case .chunk: self = .chunk
    case .step: self = .step
    }
  }
}

extension OutputRun.Kind {
  /// The kind of a recorded line; nil for one that is no output.
  fileprivate init?(_ line: RecordedLine) {
    switch line.stream {
    case .output: self = line.bytes.contains(10) ? .text : .lines
    case .value: self = .json
    case .errors, .errorChunk: self = .errorLines
    case .chunk: self = .chunk
    case .step: self = .step
    case .retry, .leftOut: return nil
    }
  }
}
