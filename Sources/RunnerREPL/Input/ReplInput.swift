import RunnerCore

/// The source of a session's entries.
protocol ReplInput: AnyObject {
  /// True if a person reads the output.
  var isInteractive: Bool { get }

  /// True if the output is a terminal that can erase what it shows.
  var hasCursor: Bool { get }

  /// The watched signals, whose panes are updated above the prompt.
  var status: [WatchPane] { get set }

  /// Waits for the next entry while the loop runs.
  func readEntry() -> ReadEntry

  /// Handles Ctrl-C during a run: input typed meanwhile must not be executed by itself.
  func holdInput()

  /// Sets the initial text of the next entry, for the user to edit.
  ///
  /// - Returns: false if entries cannot be edited.
  func prepare(_ text: String) -> Bool

  /// Stores an entry for later sessions.
  func remember(_ entry: [UInt8])

  /// The reason why there are no more entries, unless the input has just ended.
  var failure: (any Error)? { get }

  /// Stops reading.
  func finish()
}

/// The outcome of waiting for an entry.
enum ReadEntry {
  /// The lines of one chunk or one `:` command, and the number of the first.
  case entry(text: [UInt8], line: Int)
  /// Ctrl-C was pressed instead.
  case interrupted
  /// Ctrl-D was pressed.
  case leave
  /// There are no more entries: end of input, or a terminal that hung up.
  case end
}
