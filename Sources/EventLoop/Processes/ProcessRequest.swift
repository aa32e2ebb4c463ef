import Platform

/// What to start, where, and how it is connected.
public struct ProcessRequest {
  /// The program and its arguments, as the OS takes them: any bytes but NUL. A program without a
  /// slash is looked up in the PATH of `environment`.
  public var argv: [[UInt8]]
  /// Entries `NAME=value`; nil passes on the environment of this process as it is now.
  public var environment: [[UInt8]]?
  /// The directory to start in, which relative programs are looked up from; nil is our own.
  public var directory: [UInt8]?
  /// Where the child reads from.
  public var input = Input.null
  /// Where the child's standard output goes.
  public var output = Output.pipe
  /// Where the child's standard error goes.
  public var errors = Errors.inherit

  /// When the child's group owns the terminal that the user sits at.
  public var terminal = Terminal.never
  /// Whether `EventLoop.run()` goes on as long as the child lives.
  public var keepsLoopAlive = true
  /// Called, once, when a child that does not own the terminal has stopped because it uses it; on the
  /// loop's thread.
  public var onTerminalWanted: (() -> Void)?

  /// A request for `argv`, any bytes but NUL.
  public init(argv: [[UInt8]], environment: [[UInt8]]? = nil, directory: [UInt8]? = nil) {
    self.argv = argv
    self.environment = environment
    self.directory = directory
  }

  /// A request for `argv` as text, whose bytes are those of `exactBytes`.
  public init(_ argv: [String], environment: [String]? = nil, directory: String? = nil) {
    self.init(
      argv: argv.map(\.exactBytes), environment: environment?.map(\.exactBytes),
      directory: directory?.exactBytes)
  }

  /// When a child's group owns the terminal that the user sits at, without effect where we do not own
  /// it ourselves.
  ///
  /// Where `EventLoop.keepsTerminal` is set, a child that wants it stops until `EventLoop.offerTerminal()`.
  ///
  /// A child that owns it and stops, as by Ctrl-Z, stops this process too, and goes on with it.
  public enum Terminal: Sendable {
    case never
    /// As long as it runs: for editors, shells and whatever else reads keys.
    case always
    /// From the moment it first uses it until the program itself has ended. Until then Ctrl-C is ours.
    case whenWanted
  }

  /// Where a child reads from.
  public enum Input: Sendable {
    /// The end of input at once.
    case null
    /// What `ChildProcess.write` sends.
    case pipe
    /// Our own standard input.
    case inherit
    /// An open descriptor.
    case descriptor(Int32)
  }

  /// Where a child's standard output goes.
  public enum Output: Sendable {
    /// To the `onOutput` handler.
    case pipe
    /// To our own standard output.
    case inherit
    /// To an open descriptor.
    case descriptor(Int32)
    /// Nowhere.
    case null
  }

  /// Where a child's standard error goes.
  public enum Errors {
    /// To our own standard error, unseen by us.
    case inherit
    /// Into the standard output, in the order of the writes.
    case mergeIntoOutput
    /// Only the last of it is kept, for `ProcessEnd.errorTail`.
    case capture
    /// To the handler, on the loop's thread, as chunks valid only during the call; and the last of
    /// it is kept.
    case forward((UnsafeRawBufferPointer) -> Void)
  }
}
