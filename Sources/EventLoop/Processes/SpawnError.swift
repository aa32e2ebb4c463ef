import Platform

/// The reason a program could not be started. Names keep their bytes, as `String(exactly:)` does.
public enum SpawnError: Error, Equatable, CustomStringConvertible {
  /// The request names no program.
  case noProgram
  /// An argument, an environment entry or the directory contains a NUL byte.
  case nulByte(in: String)
  /// No file of that name exists, neither at the path nor in PATH.
  case programNotFound(program: String)
  /// The file exists but is not executable.
  case notExecutable(program: String, errno: Int32)
  /// The file exists, but its interpreter does not.
  case interpreterNotFound(program: String)
  /// The file is neither a binary for this machine nor a script with `#!`.
  case unknownFormat(program: String)
  /// The working directory does not exist, is not a directory or may not be entered.
  case directory(String, errno: Int32)
  /// The arguments and the environment together, or one of them, are longer than the OS allows.
  case argumentsTooLong(program: String)
  /// The system is out of processes, memory or descriptors; a later attempt may succeed.
  case resourcesExhausted(program: String, errno: Int32)
  /// Any other error of the OS.
  case system(program: String, errno: Int32)

  /// The errno value for this error.
  public var errorNumber: Int32 {
    switch self {
    case .noProgram, .nulByte: EINVAL
    case .programNotFound, .interpreterNotFound: ENOENT
    case .unknownFormat: ENOEXEC
    case .argumentsTooLong: E2BIG
    case .notExecutable(_, let number), .directory(_, let number),
      .resourcesExhausted(_, let number), .system(_, let number):
      number
    }
  }

  /// True if a later attempt may succeed, when other processes have ended.
  public var isTemporary: Bool {
    if case .resourcesExhausted = self { true } else { false }
  }

  /// A one-line message.
  public var description: String {
    let reason = systemErrorText(errorNumber)
    return switch self {
    case .noProgram:
      "cannot start a process: no program was named"
    case .nulByte(let part):
      "cannot start a process: '\(part)' contains a NUL byte"
    case .programNotFound(let program) where program.contains("/"):
      "cannot start '\(program)': \(reason)"
    case .programNotFound(let program):
      "cannot start '\(program)': no such program in PATH"
    case .notExecutable(let program, _):
      "cannot start '\(program)': it is not executable (\(reason))"
    case .interpreterNotFound(let program):
      "cannot start '\(program)': the interpreter that it names does not exist"
    case .unknownFormat(let program):
      "cannot start '\(program)': neither a binary for this machine nor a script with #!"
    case .directory(let directory, _):
      "cannot start in directory '\(directory)': \(reason)"
    case .argumentsTooLong(let program):
      "cannot start '\(program)': the arguments and environment are too long (\(reason))"
    case .resourcesExhausted(let program, _):
      "cannot start '\(program)': the system is out of resources (\(reason))"
    case .system(let program, _):
      "cannot start '\(program)': \(reason)"
    }
  }
}
