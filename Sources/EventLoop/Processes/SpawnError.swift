import Platform

/// Why a program could not be started. Names keep their bytes, as `String(exactly:)` does.
public enum SpawnError: Error, Equatable, CustomStringConvertible {
  /// The request names no program.
  case noProgram
  /// An argument, an environment entry or the directory contains a NUL byte.
  case nulByte(in: String)
  /// No file of that name, neither where the path says nor in PATH.
  case programNotFound(program: String)
  /// The file exists, but may not be executed.
  case notExecutable(program: String, errno: Int32)
  /// The file exists, but the interpreter that it asks for does not.
  case interpreterNotFound(program: String)
  /// The file is neither a binary for this machine nor a script with `#!`.
  case unknownFormat(program: String)
  /// The directory to start in does not exist, is no directory or may not be entered.
  case directory(String, errno: Int32)
  /// Arguments and environment together, or one of them, are longer than the OS takes.
  case argumentsTooLong(program: String)
  /// The system is out of processes, memory or descriptors; trying later may help.
  case resourcesExhausted(program: String, errno: Int32)
  /// Any other refusal of the OS.
  case system(program: String, errno: Int32)

  /// The errno value of the error.
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

  /// One line for people.
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
