/// The source of a session's entries.
protocol ReplInput: AnyObject {
  /// Whether a person reads what is shown.
  var isInteractive: Bool { get }

  /// Lines that are kept up to date above the prompt.
  var status: [WatchLine] { get set }

  /// Waits for the next entry while the loop runs.
  func readEntry() -> ReadEntry

  /// Ctrl-C has ended what ran: input that came meanwhile must not be executed by itself.
  func holdInput()

  /// Begins the next entry with a text, for the user to change it.
  ///
  /// - Returns: false where entries cannot be edited.
  func prepare(_ text: String) -> Bool

  /// Keeps an entry for the sessions to come.
  func remember(_ entry: [UInt8])

  /// The reason why there are no more entries, if that is not just their end.
  var failure: (any Error)? { get }

  /// Reads nothing more.
  func finish()
}

/// The outcome of waiting for an entry.
enum ReadEntry {
  /// The lines of one chunk or one `:` command, and the number of the first.
  case entry(text: [UInt8], line: Int)
  /// Ctrl-C was pressed instead.
  case interrupted
  /// There are no more: the end of the input, Ctrl-D, or a terminal that hung up.
  case end
}
