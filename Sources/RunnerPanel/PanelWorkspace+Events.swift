import Platform
import LuaRuntime
import RunnerCore
import Scripting

/// What the executions of a workspace do becomes events and recorded output.
extension PanelWorkspace: EventRenderer {
  var joinsStreams: Bool { false }

  func render(_ event: RunEvent) {
    switch event {
    case .queued(let record):
      change(record, to: .queued)
      if let entry = entry(of: record) { makeWay(for: entry) }
    case .started(let record):
      entry(of: record)?.started = WallClock.seconds
      change(record, to: .running)
    case .waits(let contention):
      for entry in panel.executions.own
      where entry.command == contention.command && [.waiting, .queued].contains(entry.state) {
        entry.waits = contention
      }
      panel.feed.send("waits", contention.fields)
    case .upToDate(let record):
      if let entry = entry(of: record) { panel.noteUpToDate(entry, saving: record.savedTime) }
    case .step(let record, let step):
      begunLines.endAll(of: record)
      finishErrors(record)
      guard let entry = entry(of: record) else { return }
      entry.begun.end(.values)
      finishPrinting(of: entry, keepingLast: false)
      step.text.withExactBytes { panel.append(.step, masking: $0, to: entry) }
      panel.feed.outputHasCome(to: entry)
    case .next(let record, let values):
      begunLines.endAll(of: record)
      guard let entry = entry(of: record) else { return }
      entry.begun.end(.values)
      append(values, to: entry)
    case .unfinished(let record, let line):
      guard let entry = entry(of: record) else { return }
      if line.offset == 0 {
        begunLines.endAll(of: record)
        entry.begun.end(.values)
      }
      begunLines.add(line, of: record) { entry.begun.append($0) }
      panel.lineHasBegun(of: entry)
    case .standardError(let record, let bytes): append(errors: bytes, record)
    case .retry(let record, let attempt, let delay, let cause):
      guard let entry = entry(of: record) else { return }
      panel.noteRetry(entry, attempt: attempt, delay: delay.secondsText, cause: cause)
    case .failed(let record, let failure):
      begunLines.endAll(of: record)
      finishErrors(record)
      if let entry = entry(of: record) { failed(entry, failure) }
    case .completed(let record):
      begunLines.endAll(of: record)
      finishErrors(record)
      if let entry = entry(of: record), !entry.isOver { end(entry, .completed) }
    case .cancelled(let record):
      begunLines.endAll(of: record)
      if let entry = entry(of: record) { cancelled(entry) }
      if entry(of: record)?.state != .cancelling { finishErrors(record) }
    case .service(_, _, let status, let call): panel.metrics.note(status, of: call)
    case .runStarted, .skipped, .goesOn, .enabled, .unhandled, .runFinished: break
    }
  }

  private func entry(of record: ExecutionRecord?) -> PanelExecution? {
    record?.id.flatMap { executions[$0] }
  }

  /// Cancels an execution of an earlier command file for one that takes its place.
  private func makeWay(for entry: PanelExecution) {
    let command = host.commands.first { $0.name == entry.command }
    guard let command, case .restart = command.whenBusy, command.runningCount == 0 else { return }
    panel.earlierExecutions(of: entry.command).first?.execution?.cancel()
  }

  private func change(_ record: ExecutionRecord, to state: PanelExecution.State) {
    guard let entry = entry(of: record), !entry.isOver else { return }
    panel.note(entry, state)
    decided(entry)
  }

  // MARK: Output

  private func append(_ values: SentValues, to entry: PanelExecution) {
    switch values {
    case .batch(let lines as LineBatch):
      lines.text.withUnsafeBytes {
        let count = lines.count
        if let masked = Secrets.masked($0) {
          masked.withUnsafeBytes { panel.append(.lines, $0, count: count, to: entry) }
        } else {
          panel.append(.lines, $0, count: count, to: entry)
        }
      }
    case .batch(let chunk as TextBatch):
      chunk.text.withUnsafeBytes { panel.append(.chunk, masking: $0, to: entry) }
    case .batch(let batch): batch.forEach { append($0, to: entry) }
    case .one(let value): append(value, to: entry)
    }
    panel.feed.outputHasCome(to: entry)
  }

  private func append(_ value: LuaValue, to entry: PanelExecution) {
    if case .string(let string) = value {
      return string.withUnsafeBytes { panel.append(text: $0, to: entry) }
    }
    var text = EventJSON.text(of: value, host)
    text.withUTF8 { panel.append(.json, UnsafeRawBufferPointer($0), count: 1, to: entry) }
  }

  private func append(errors bytes: UnsafeRawBufferPointer, _ record: ExecutionRecord?) {
    errorLines.append(bytes, of: record) { append(errorLine: $0, record) }
    guard let entry = entry(of: record) else { return }
    guard errorLines.hasUnfinished(of: record) else {
      entry.lookAtErrors = nil
      return entry.begun.end(.errors)
    }
    entry.lookAtErrors = { [weak self, weak entry] in
      guard let self, let entry else { return }
      entry.lookAtErrors = nil
      let rest = errorLines.unfinished(of: record)
      guard !rest.isEmpty else { return }
      entry.begun.show(rest.withUnsafeBytes { Secrets.masked($0) } ?? rest, of: .errors)
    }
    panel.lineHasBegun(of: entry)
  }

  func finishErrors(_ record: ExecutionRecord) {
    errorLines.finish(record) { append(errorLine: $0, record) }
  }

  private func append(errorLine line: UnsafeRawBufferPointer, _ record: ExecutionRecord?) {
    guard let entry = entry(of: record) else {
      let bytes = line.last == 10 ? line.dropLast() : line[...]
      panel.feed.send(
        "stderr",
        [("value", JSONValue.string(Secrets.masked(String(exactly: bytes))).text)])
      return
    }
    panel.append(errorLine: line, to: entry)
    panel.feed.outputHasCome(to: entry)
  }

  // MARK: Printing

  /// Makes what functions of commands print a part of the output of their executions.
  func recordPrinting() {
    // If there is no memory for the redirection, printing is impossible.
    try? host.interpreter.redirectOutput { [unowned self] stream, bytes in
      guard let entry = host.presentExecution.flatMap({ executions[$0] }) else {
        return Terminal.error(bytes: bytes)
      }
      switch stream {
      case .output: record(printed: bytes, by: entry)
      case .errors: append(errors: bytes, entry.record)
      }
    }
  }

  /// The most bytes of a printed line that are kept until it ends.
  private static let longestPrinted = 64 << 10

  private func record(printed bytes: UnsafeRawBufferPointer, by entry: PanelExecution) {
    printed[entry.id, default: []] += bytes
    guard bytes.contains(10) || printed[entry.id, default: []].count > Self.longestPrinted else {
      return
    }
    finishPrinting(of: entry, keepingLast: true)
  }

  /// Records the lines that an execution has printed.
  ///
  /// - Parameter keepingLast: true to wait for the end of the last one.
  func finishPrinting(of entry: PanelExecution, keepingLast: Bool) {
    guard let text = printed.removeValue(forKey: entry.id), !text.isEmpty else { return }
    var rest = text[...]
    while let end = rest.firstIndex(of: 10) {
      rest[..<end].withUnsafeBytes { panel.append(text: $0, to: entry) }
      rest = rest[(end + 1)...]
    }
    if keepingLast, rest.count <= Self.longestPrinted {
      if !rest.isEmpty { printed[entry.id] = Array(rest) }
    } else if !rest.isEmpty {
      rest.withUnsafeBytes { panel.append(text: $0, to: entry) }
    }
    panel.feed.outputHasCome(to: entry)
  }
}
