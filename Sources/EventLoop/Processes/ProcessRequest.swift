import Platform

/// A request to start a program: its arguments, its folder and its streams.
public struct ProcessRequest {
  /// The program and its arguments, as the OS takes them: any bytes but NUL. A program without a
  /// slash is looked up in the PATH of `environment`.
  public var argv: [[UInt8]]
  /// Entries `NAME=value`; nil passes on the environment of this process as it is now.
  public var environment: [[UInt8]]?
  /// The working directory, also used to resolve relative program paths; nil for our own.
  public var directory: [UInt8]?
  /// The source of the child's standard input.
  public var input = Input.null
  /// The destination of the child's standard output.
  public var output = Output.pipe
  /// The destination of the child's standard error.
  public var errors = Errors.inherit

  /// The policy for lending the user's terminal to the child's group.
  public var terminal = Terminal.never
  /// True if the child keeps `EventLoop.run()` from returning while it lives.
  public var keepsLoopAlive = true
  /// Called, once, when a child that does not own the terminal has stopped because it tried to use
  /// it; on the loop's thread.
  public var onTerminalWanted: (() -> Void)?

  /// A request for `argv`, any bytes but NUL.
  public init(argv: [[UInt8]], environment: [[UInt8]]? = nil, directory: [UInt8]? = nil) {
    self.argv = argv
    self.environment = environment
    self.directory = directory
  }

  /// A request for `argv` as text; its bytes are those of `exactBytes`.
  public init(_ argv: [String], environment: [String]? = nil, directory: String? = nil) {
    self.init(
      argv: argv.map(\.exactBytes), environment: environment?.map(\.exactBytes),
      directory: directory?.exactBytes)
  }

  /// The policy for giving a child's group ownership of the user's terminal; no effect if we do not
  /// own it ourselves.
  ///
  /// While `EventLoop.keepsTerminal` is true, a child that wants it stops until
  /// `EventLoop.offerTerminal()`.
  ///
  /// If a child that owns it stops, for example by Ctrl-Z, this process stops too and continues
  /// with it.
  public enum Terminal: Sendable {
    case never
    /// As long as the child runs: for editors, shells and other programs that read keys.
    case always
    /// From its first use until the program itself has ended. Until that first use Ctrl-C is ours.
    case whenWanted
    /// The same, and it comes back in the modes that it had.
    case whileUsed
  }

  /// The source of a child's standard input.
  public enum Input: Sendable {
    /// Immediate end of input.
    case null
    /// The bytes passed to `ChildProcess.write`.
    case pipe
    /// Our own standard input.
    case inherit
    /// An open descriptor.
    case descriptor(Int32)
  }

  /// The destination of a child's standard output.
  public enum Output: Sendable {
    /// To the `onOutput` handler.
    case pipe
    /// To our own standard output.
    case inherit
    /// To an open descriptor.
    case descriptor(Int32)
    /// Discards it.
    case null
    /// To the `onOutput` handler, through a pseudo-terminal of this size, which is the child's
    /// controlling terminal. Its size follows that of the user's terminal.
    case terminal(TerminalSize)
  }

  /// The destination of a child's standard error.
  public enum Errors {
    /// To our own standard error, without passing through us.
    case inherit
    /// To standard output, in the order of the writes.
    case mergeIntoOutput
    /// The same, and keeps the last part of both for `ProcessEnd.errorTail`.
    case joinOutput
    /// Keeps only the last part, for `ProcessEnd.errorTail`.
    case capture
    /// To the handler, on the loop's thread, as chunks valid only during the call; the last part is
    /// also kept.
    case forward((UnsafeRawBufferPointer) -> Void)
  }
}
