import Commands
import EventLoop
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// An execution in a session: of a command, or of an entry that ended in `&`.
final class Job: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  let execution: Execution<LuaValue, LuaValue>
  /// The name of the command, or the text of the entry.
  let title: String
  private let began = EventLoop.now
  private var ended: Duration?
  private(set) var valueCount = 0
  private var begun: [UInt8] = []
  /// The line that chunks of bytes have begun.
  private var open: [UInt8] = []
  let subscription = CompoundDisposable()
  /// True if its values and its end are reported as they arrive: the session started it, not
  /// another execution.
  var isAnnounced: Bool
  /// True while an entry in the foreground shows its events.
  var isAttached = false

  init(_ execution: Execution<LuaValue, LuaValue>, title: String, isAnnounced: Bool) {
    self.execution = execution
    self.title = title
    self.isAnnounced = isAnnounced
  }

  var id: Int { execution.id }
  var isActive: Bool { ended == nil }
  var tellsEvents: Bool { isAnnounced && !isAttached }

  func countValue() {
    valueCount += 1
    begun = []
  }

  func end() {
    ended = EventLoop.now
    begun = []
  }

  /// The most bytes of a begun line that are kept.
  private static let longestBegun = 16 << 10

  /// Takes a chunk of bytes.
  ///
  /// - Returns: the lines that it ends.
  func receive(chunk: [UInt8]) -> [LuaValue] {
    valueCount += 1
    begun = []
    let parts = chunk.split(separator: 10, omittingEmptySubsequences: false)
    var lines: [LuaValue] = []
    for (index, part) in parts.enumerated() {
      open += part
      // A progress bar overwrites its line, which a return may end.
      if let end = open.dropLast().lastIndex(of: 13) { open.removeSubrange(...end) }
      // One without an end is shown in pieces.
      guard index < parts.count - 1 || open.count > Self.longestBegun else { break }
      lines.append(.string(LuaString(open)))
      open = []
    }
    return lines
  }

  /// Takes the line that chunks have begun and not ended.
  func takeOpenLine() -> LuaValue? {
    guard !open.isEmpty else { return nil }
    defer { open = [] }
    return .string(LuaString(open))
  }

  /// A process has begun a line, or gone on with it.
  func begin(_ part: UnfinishedLine) {
    if part.offset == 0 { begun = [] }
    guard begun.count + part.bytes.count <= Self.longestBegun else { return }
    begun += part.bytes
    // A progress bar overwrites its line.
    if let end = begun.dropLast().lastIndex(of: 13) { begun.removeSubrange(...end) }
  }

  /// The line that a process has begun and not ended, for the terminal; nil if there is none.
  var begunText: String? {
    let begun = open.isEmpty ? begun : open
    let known = begun.dropLast(begun.withUnsafeBytes { Secrets.openEnd(of: $0) })
    guard !known.isEmpty else { return nil }
    return BackgroundText.harmless(Secrets.masked(String(decoding: known, as: UTF8.self)))
  }

  /// `[3] build`
  var label: String { "[\(id)] \(title)" }

  /// `5 values, 1.2 s`
  var extent: String {
    "\(valueCount) value\(valueCount == 1 ? "" : "s"), \(((ended ?? EventLoop.now) - began).brief)"
  }
}

extension Duration {
  /// `1.2 s` or `35 ms`.
  var brief: String {
    let milliseconds = Int(self / .milliseconds(1))
    if milliseconds < 1_000 { return "\(milliseconds) ms" }
    return "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
  }
}
