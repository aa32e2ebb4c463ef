import Platform

/// Finds the file for a program's name, and explains why a start failed.
///
/// This replaces `posix_spawnp`, which knows only the parent's PATH and does not distinguish a
/// missing program from a missing directory.
public struct ProgramLookup {
  let program: [UInt8]
  let directory: [UInt8]?
  /// The value of PATH that applies.
  let searchPath: [UInt8]

  private static let slash = UInt8(ascii: "/")
  private static let colon = UInt8(ascii: ":")
  /// The directories that the C library searches if PATH is not set.
  private static let defaultSearchPath = Array("/bin:/usr/bin".utf8)

  init(_ request: ProcessRequest, program: [UInt8]) {
    self.program = program
    directory = request.directory
    searchPath =
      if let environment = request.environment {
        environment.last(where: \.setsSearchPath).map { Array($0.dropFirst(5)) }
          ?? ProgramLookup.defaultSearchPath
      } else if let value = getenv("PATH") {
        Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
      } else {
        ProgramLookup.defaultSearchPath
      }
  }

  /// The path of the program that a process would execute; nil if there is none that can be executed.
  ///
  /// - Parameters:
  ///   - environment: the variables of the process, `NAME=value`; nil for those of this program.
  ///   - directory: the folder of the process; nil for that of this program.
  public static func path(
    of program: [UInt8], environment: [[UInt8]]?, directory: [UInt8]?
  ) -> [UInt8]? {
    var request = ProcessRequest(argv: [program])
    request.environment = environment
    request.directory = directory
    let lookup = ProgramLookup(request, program: program)
    guard let path = try? lookup.path(), lookup.refusalToExecute(path) == 0 else { return nil }
    return path
  }

  /// The path to execute; a relative path is relative to the child's directory.
  func path() throws(SpawnError) -> [UInt8] {
    if program.contains(ProgramLookup.slash) { return program }
    var refusal: SpawnError?
    for entry in searchPath.split(separator: ProgramLookup.colon, omittingEmptySubsequences: false)
    {
      let folder = entry.isEmpty ? Array(".".utf8) : Array(entry)
      let candidate = folder + [ProgramLookup.slash] + program
      switch refusalToExecute(candidate) {
      case 0: return candidate
      case EACCES where refusal == nil:
        refusal = .notExecutable(program: candidate.text, errno: EACCES)
      default: continue
      }
    }
    if let directory, let reason = refusalToEnter(directory) {
      throw .directory(directory.text, errno: reason)
    }
    throw refusal ?? .programNotFound(program: program.text)
  }

  /// The error for a failed start.
  func error(_ errorNumber: Int32, path: [UInt8]) -> SpawnError {
    if let directory, let reason = refusalToEnter(directory) {
      return .directory(directory.text, errno: reason)
    }
    let name = path.text
    switch errorNumber {
    case ENOENT:
      return refusalToExecute(path) == 0
        ? .interpreterNotFound(program: name) : .programNotFound(program: name)
    case EACCES, EPERM, ETXTBSY: return .notExecutable(program: name, errno: errorNumber)
    case ENOEXEC: return .unknownFormat(program: name)
    case E2BIG: return .argumentsTooLong(program: program.text)
    case EAGAIN, ENOMEM, EMFILE, ENFILE:
      return .resourcesExhausted(program: program.text, errno: errorNumber)
    default: return .system(program: name, errno: errorNumber)
    }
  }

  /// The errno value that explains why `path` cannot be executed, or 0.
  private func refusalToExecute(_ path: [UInt8]) -> Int32 {
    let path = fromHere(path)
    return path.withUnsafeBufferPointer { path in
      path.withMemoryRebound(to: CChar.self) { path in
        guard let name = path.baseAddress else { return ENOENT }
        var status = stat()
        guard stat(name, &status) == 0 else { return errno }
        guard status.st_mode & S_IFMT != S_IFDIR else { return EACCES }
        return access(name, X_OK) == 0 ? 0 : errno
      }
    }
  }

  /// The errno value that explains why a child cannot start in `directory`.
  private func refusalToEnter(_ directory: [UInt8]) -> Int32? {
    (directory + [0]).withUnsafeBufferPointer { path in
      path.withMemoryRebound(to: CChar.self) { path in
        guard let name = path.baseAddress else { return ENOENT }
        var status = stat()
        guard stat(name, &status) == 0 else { return errno }
        guard status.st_mode & S_IFMT == S_IFDIR else { return ENOTDIR }
        return access(name, X_OK) == 0 ? nil : errno
      }
    }
  }

  /// `path` as this process sees it, with a terminating NUL.
  private func fromHere(_ path: [UInt8]) -> [UInt8] {
    guard let directory, path.first != ProgramLookup.slash else { return path + [0] }
    return directory + [ProgramLookup.slash] + path + [0]
  }
}

extension [UInt8] {
  var text: String { String(exactly: self) }

  fileprivate var setsSearchPath: Bool { count >= 5 && memcmp(self, "PATH=", 5) == 0 }
}
