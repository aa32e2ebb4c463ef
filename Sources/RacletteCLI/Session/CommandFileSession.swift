import Scripting

/// Finds and loads a command file, lends the session, and ends it.
struct CommandFileSession {
  private let line: CommandLine
  private let rehearsal: String?
  private let timeLimit: Duration?

  /// - Parameters:
  ///   - rehearsal: what the file is only looked at for, so that it may start and change nothing while
  ///     it loads; nil to execute it. `--trust` takes the bound away.
  ///   - timeLimit: how long Lua code may run at a stretch where no option says so; nil for ever.
  init(_ line: CommandLine, rehearsal: String? = nil, timeLimit: Duration? = nil) {
    self.line = line
    self.rehearsal = line.has(.trust) ? nil : rehearsal
    self.timeLimit = timeLimit
  }

  /// How long code and conditions may take of those who only look at a command file.
  static let lookingTime = Duration.seconds(5)

  /// Calls `body` with the session and the file's name once the file has loaded.
  ///
  /// - Parameter lookAtPart: called with the session when the file has not loaded to its end.
  /// - Throws: `CommandFileError` if there is no such file, or it does not load.
  func use(
    lookAtPart: (Session) -> Void = { _ in }, _ body: (Session, String) throws -> Int32
  ) throws -> Int32 {
    try line.enterDirectory()
    guard let path = line[.file] ?? CommandFile.nearest() else {
      throw CommandFileError.noCommandFile
    }
    let (directory, name) = CommandFile.split(path)
    // Commands run in the folder of their file.
    do { try CommandFile.enter(directory) } catch {
      throw CommandFileError(message: "cannot read \(path): \(error.reason)")
    }
    let session = try Session(scriptName: path, arguments: [], line: line)
    return try session.use {
      if let rehearsal { session.host.rehearse(for: rehearsal) }
      if let timeLimit {
        session.host.limitTime(to: line.duration(.conditionTimeout) ?? timeLimit)
      }
      do { try session.load(name, named: path) } catch {
        lookAtPart(session)
        throw error
      }
      // A signal may have come right behind it.
      if session.isEnding { return ExitStatus.failure }
      return try body(session, path)
    }
  }
}
