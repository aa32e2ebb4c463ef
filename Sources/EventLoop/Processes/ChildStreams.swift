#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The standard streams of a child that is being started: its ends and, of pipes, ours.
///
/// The child's ends are closed with this value: a parent that keeps one open never sees the end.
struct ChildStreams: ~Copyable {
  /// What the child gets as its standard streams; nil leaves ours.
  private(set) var numbers: (input: Int32?, output: Int32?, errors: Int32?)
  /// Our ends.
  var input: FileDescriptor?
  var output: FileDescriptor?
  var errors: FileDescriptor?
  private var childInput: FileDescriptor?
  private var childOutput: FileDescriptor?
  private var childErrors: FileDescriptor?

  init(_ request: ProcessRequest, nullDevice: () throws -> Int32) throws {
    numbers = (nil, nil, nil)

    switch request.input {
    case .inherit: break
    case .null: numbers.input = try nullDevice()
    case .pipe:
      let pipe = try Pipe.open()
      numbers.input = pipe.readEnd.number
      childInput = consume pipe.readEnd
      input = consume pipe.writeEnd
    }

    switch request.output {
    case .inherit: break
    case .null: numbers.output = try nullDevice()
    case .pipe:
      let pipe = try Pipe.open()
      numbers.output = pipe.writeEnd.number
      childOutput = consume pipe.writeEnd
      output = consume pipe.readEnd
    }

    switch request.errors {
    case .inherit: break
    // Our own standard output is the child's unless it gets another.
    case .mergeIntoOutput: numbers.errors = numbers.output ?? STDOUT_FILENO
    case .capture, .forward:
      let pipe = try Pipe.open()
      numbers.errors = pipe.writeEnd.number
      childErrors = consume pipe.writeEnd
      errors = consume pipe.readEnd
    }
  }
}
