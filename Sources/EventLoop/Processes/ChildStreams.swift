import Platform

/// The standard streams of a child that is being started.
///
/// The child's ends are closed with this value: a parent that keeps one open never sees the end of
/// the stream.
struct ChildStreams: ~Copyable {
  var input: ChildStream
  var output: ChildStream
  var errors: ChildStream

  init(_ request: ProcessRequest, nullDevice: () throws -> Int32) throws {
    input = .inherited
    output = .inherited
    errors = .inherited
    switch request.input {
    case .inherit: break
    case .null: input = ChildStream(descriptor: try nullDevice())
    case .pipe: input = try .reading()
    case .descriptor(let number): input = ChildStream(descriptor: number)
    }
    switch request.output {
    case .inherit: break
    case .null: output = ChildStream(descriptor: try nullDevice())
    case .pipe: output = try .writing()
    case .descriptor(let number): output = ChildStream(descriptor: number)
    case .terminal(let size): output = try .terminal(size)
    }
    switch request.errors {
    case .inherit: break
    // The child uses our own standard output unless it gets another.
    case .mergeIntoOutput, .joinOutput:
      errors = ChildStream(descriptor: output.number ?? STDOUT_FILENO)
    case .capture, .forward: errors = try .writing()
    }
  }

  /// The child's standard streams; nil for a stream it inherits from us.
  var numbers: (input: Int32?, output: Int32?, errors: Int32?) {
    (input.number, output.number, errors.number)
  }
}

/// One standard stream: the child's end and, for a pipe, ours.
struct ChildStream: ~Copyable {
  /// The child's descriptor; nil to inherit ours.
  let number: Int32?
  private var ours: FileDescriptor?
  private let theirs: FileDescriptor?

  private init(number: Int32?, ours: consuming FileDescriptor?, theirs: consuming FileDescriptor?) {
    self.number = number
    self.ours = ours
    self.theirs = theirs
  }

  /// A descriptor that other code owns.
  init(descriptor: Int32) { self.init(number: descriptor, ours: nil, theirs: nil) }

  static var inherited: ChildStream { ChildStream(number: nil, ours: nil, theirs: nil) }

  /// A new pipe that the child reads from.
  static func reading() throws(SystemFailure) -> ChildStream {
    let pipe = try Pipe.open()
    return ChildStream(
      number: pipe.readEnd.number, ours: consume pipe.writeEnd, theirs: consume pipe.readEnd)
  }

  /// A new pipe that the child writes to.
  static func writing() throws(SystemFailure) -> ChildStream {
    let pipe = try Pipe.open()
    return ChildStream(
      number: pipe.writeEnd.number, ours: consume pipe.readEnd, theirs: consume pipe.writeEnd)
  }

  /// A new pseudo-terminal that the child writes to.
  static func terminal(_ size: TerminalSize) throws(SystemFailure) -> ChildStream {
    let terminal = try PseudoTerminal.open(size)
    return ChildStream(
      number: terminal.childEnd.number, ours: consume terminal.ourEnd,
      theirs: consume terminal.childEnd)
  }

  /// Hands out our end of a pipe, once.
  mutating func takeOurs() -> FileDescriptor? { ours.take() }
}
