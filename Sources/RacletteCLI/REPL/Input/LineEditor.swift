/// Where the lines of a session come from.
protocol LineEditor: AnyObject {
  /// Whether a person reads what is shown.
  var isInteractive: Bool { get }

  /// Lines that are kept up to date above the prompt.
  var status: [WatchLine] { get set }

  /// Waits for the next line while the loop runs.
  func readLine(_ prompt: Prompt) -> ReadLine

  /// Keeps a line for the sessions to come.
  func remember(_ line: [UInt8])

  /// Why there are no more lines, if that is not just their end.
  var failure: (any Error)? { get }

  /// Reads nothing more.
  func finish()
}

/// What a line is asked for with.
enum Prompt: String {
  case first = "rac> "
  /// The chunk so far is not complete.
  case more = "..> "
}

/// What came of asking for a line.
enum ReadLine {
  /// Its bytes without the end of the line.
  case line([UInt8])
  /// Ctrl-C was pressed instead.
  case interrupted
  /// There are no more: the end of the input, Ctrl-D, or a terminal that hung up.
  case end
}
