import Platform
import RunnerCore
import Scripting

/// What executions send goes into their records.
extension Panel {
  /// Appends a text: as a line if it is one, because many of these are kept together.
  func append(text bytes: UnsafeRawBufferPointer, to entry: PanelExecution) {
    guard !bytes.contains(10) else { return append(.text, masking: bytes, to: entry) }
    var line = Secrets.masked(bytes) ?? Array(bytes)
    line.append(10)
    line.withUnsafeBytes { append(.lines, $0, count: 1, to: entry) }
  }

  /// Appends a line of standard error, with or without its newline.
  func append(errorLine line: UnsafeRawBufferPointer, to entry: PanelExecution) {
    var text = Secrets.masked(line) ?? Array(line)
    if text.last != 10 { text.append(10) }
    text.withUnsafeBytes { append(.errorLines, $0, count: 1, to: entry) }
  }

  func append(
    _ kind: OutputRun.Kind, masking bytes: UnsafeRawBufferPointer, to entry: PanelExecution
  ) {
    guard let masked = Secrets.masked(bytes) else {
      return append(kind, bytes, count: 1, to: entry)
    }
    masked.withUnsafeBytes { append(kind, $0, count: 1, to: entry) }
  }

  func append(
    _ kind: OutputRun.Kind, _ bytes: UnsafeRawBufferPointer, count: Int, to entry: PanelExecution
  ) {
    let number = feed.takeNumbers(count)
    entry.output.append(
      kind, bytes, count: count, number: number, time: WallClock.seconds)
    if !entry.isPast { printOutput(of: entry, count) }
    recorder?.outputHasCome(to: entry)
  }

  /// Appends what an execution of another process has sent.
  func append(_ output: SharedOutput, to entry: PanelExecution) {
    switch output {
    case .text(let bytes): bytes.withUnsafeBytes { append(text: $0, to: entry) }
    case .json(let bytes): bytes.withUnsafeBytes { append(.json, masking: $0, to: entry) }
    case .chunk(let bytes): bytes.withUnsafeBytes { append(.chunk, masking: $0, to: entry) }
    case .errorLine(let bytes): bytes.withUnsafeBytes { append(errorLine: $0, to: entry) }
    case .step(let bytes): bytes.withUnsafeBytes { append(.step, masking: $0, to: entry) }
    }
    feed.outputHasCome(to: entry)
  }
}
