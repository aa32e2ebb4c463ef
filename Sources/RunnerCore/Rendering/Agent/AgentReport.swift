import Journal
import Scripting

/// What a run reports to a program that pays for each line.
package struct AgentReport {
  /// An execution that has ended by itself, or that somebody asks for.
  package struct Ended {
    let label: String
    let duration: Duration?
    /// Its number in the journal, or in the hub.
    let number: Int64?
    package var attempts = 1
    package var isUpToDate = false
    /// True if it is up to date because its result was restored from the cache.
    package var isRestored = false
    /// Why its work was left out; nil if it was not.
    var reasonToSkip: String? {
      guard isUpToDate else { return nil }
      return isRestored ? "restored from the cache" : "up to date"
    }
    /// The message of its failure.
    package var failure: String?
    package var code: Int?
    /// The first lines of its output that look like an error.
    package var firstError: [String] = []
    /// The last lines of its output.
    package var lines: [String] = []
    /// The number of lines before these that are not shown.
    package var leftOut = 0
    /// What of its output is not among these, and nowhere else.
    var unkept: String?
    /// The call that shows what is left out; nil for that of the journal.
    package var place: String?
    /// Its state; nil for what follows from its failure.
    package var state: String?

    package init(label: String, duration: Duration?, number: Int64?) {
      self.label = label
      self.duration = duration
      self.number = number
    }

    /// Takes the last lines of the output as they are recorded.
    mutating func take(_ recorded: [RecordedLine]) {
      lines = AgentReport.texts(of: recorded)
      if let note = recorded.first, note.stream == .leftOut {
        unkept = note.bytes.withUnsafeBytes(AgentReport.text)
      }
    }
  }

  var failed: [Ended] = []
  /// Those whose output is wanted.
  var completed: [Ended] = []
  /// The others that have completed.
  var quiet = NamedCount()
  var cancelled = NamedCount()
  var unexecuted = NamedCount()
  /// The entries of a batch that had completed before.
  var skipped = 0

  /// The most lines of a report.
  static let mostLines = 60
  /// The most failures that are described.
  private static let mostFailures = 8
  /// The most lines behind those about single executions.
  private static let mostClosingLines = 4
  /// The fewest lines in which an output is shown.
  private static let fewestLines = 4
  /// The most characters of a line.
  private static let longestLine = 400

  /// Returns the report, with a newline after each line.
  func text(duration: Duration, exitCode: Int32?) -> String {
    let head = summary(duration, exitCode)
    var tail: [String] = []
    let others = failed.dropFirst(Self.mostFailures)
    if !others.isEmpty {
      var names = NamedCount()
      for other in others { names.add(other.label) }
      tail.append("failed too: \(names.text)")
    }
    let room = Self.mostLines - Self.mostClosingLines - head.count
    // Failures come first; what has completed is shown where nothing has failed.
    let outputs = failed.isEmpty ? completed.prefix(room / Self.fewestLines) : []
    var names = quiet
    for one in completed.dropFirst(outputs.count) { names.add(one.label) }
    if names.count > 0 { tail.append("completed: \(names.text)") }
    if cancelled.count > 0 { tail.append("cancelled: \(cancelled.text)") }
    if unexecuted.count > 0 { tail.append("not executed: \(unexecuted.text)") }
    let shown = failed.prefix(Self.mostFailures) + outputs
    var left = room
    var body: [String] = []
    for (index, ended) in shown.enumerated() {
      // What one does not need is left to those after it.
      let lines = ended.text(atMost: left / (shown.count - index))
      body += lines
      left -= lines.count
    }
    return (head + body + tail).map { $0 + "\n" }.joined()
  }

  private func summary(_ duration: Duration, _ exitCode: Int32?) -> [String] {
    let parts = [
      (failed.count, "failed"), (cancelled.count, "cancelled"),
      (completed.count + quiet.count, "completed"),
      (unexecuted.count, "not executed"), (skipped, "skipped"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let counts = parts.isEmpty ? "nothing was executed" : parts.joined(separator: ", ")
    return ["\(counts) in \(duration.shortText)" + (exitCode.map { "; exit status \($0)" } ?? "")]
  }

  /// The texts of recorded lines. Pieces that end no line are joined.
  static func texts(of lines: [RecordedLine]) -> [String] {
    var texts: [String] = []
    var open: [UInt8] = []
    for line in lines {
      switch line.stream {
      case .chunk, .errorChunk:
        open += line.bytes
        var parts = open.split(separator: 10, omittingEmptySubsequences: false)
        open = Array(parts.removeLast())
        texts += parts.map { part in part.withUnsafeBytes(text) }
      case .output, .value, .errors:
        if !open.isEmpty { texts.append(open.withUnsafeBytes(text)) }
        open = []
        texts += line.bytes.split(separator: 10, omittingEmptySubsequences: false)
          .map { part in part.withUnsafeBytes(text) }
      case .retry: texts.append("(another attempt follows: \(line.bytes.withUnsafeBytes(text)))")
      // The error names the step.
      case .step, .leftOut: break
      }
    }
    if !open.isEmpty { texts.append(open.withUnsafeBytes(text)) }
    return texts
  }

  /// A line without colours, with other control characters made visible, and not too long.
  package static func text(of line: UnsafeRawBufferPointer) -> String {
    let text = String(decoding: withoutSequences(line), as: UTF8.self).visibleInLine
    guard text.count > longestLine else { return text }
    return text.prefix(longestLine) + "… (\(text.count) characters)"
  }

  /// Leaves out the sequences by which a terminal changes colours and moves its cursor.
  private static func withoutSequences(_ line: UnsafeRawBufferPointer) -> [UInt8] {
    guard line.contains(0x1B) else { return Array(line) }
    var bytes: [UInt8] = []
    var rest = line[...]
    while let byte = rest.popFirst() {
      guard byte == 0x1B, rest.first == UInt8(ascii: "[") else {
        bytes.append(byte)
        continue
      }
      rest = rest.dropFirst().drop { !(0x40...0x7E).contains($0) }.dropFirst()
    }
    return bytes
  }
}

extension AgentReport.Ended {
  /// The lines about it, `most` of them at most.
  package func text(atMost most: Int) -> [String] {
    guard most > 0 else { return [] }
    var notes: [String] = []
    if let code { notes.append("exit status \(code)") }
    if let duration { notes.append(duration.shortText) }
    if attempts > 1 { notes.append("\(attempts) attempts") }
    if let number { notes.append("#\(number)") }
    let details = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
    let state = state ?? (failure == nil ? reasonToSkip ?? "completed" : "failed")
    var head = "\(state): \(label)\(details)"
    if let failure { head += ": \(failure.split(separator: "\n").first.map(String.init) ?? "")" }
    let body = excerpt(atMost: most - 1)
    return [head] + body.map { "  \($0)" }
  }

  /// The last lines, behind the first error if it is not among them.
  private func excerpt(atMost most: Int) -> [String] {
    guard lines.count + leftOut > most else { return lines }
    // One line says how many are left out, and where they are.
    guard most > 2 else { return [] }
    let error = firstError.prefix(most / 3)
    let last = lines.suffix(most - 1)
    let isThere = error.first.map { last.contains($0) } ?? true
    let head = isThere ? [] : Array(error)
    let tail = lines.suffix(most - 1 - head.count)
    let left = leftOut + lines.count - tail.count - head.count
    let place = (place ?? number.map { "raclette :replay \($0)" }).map { ": \($0)" } ?? ""
    let lost = unkept.map { "; not kept: \($0)" } ?? ""
    return head + ["… \(left) lines left out\(place)\(lost)"] + tail
  }
}
