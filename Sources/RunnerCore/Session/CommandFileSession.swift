import Scripting

/// Finds and loads a command file, provides its session, and ends it.
package struct CommandFileSession {
  private let line: CommandLine
  private let confirmation: HostPolicy.Confirmation
  private let rehearsal: String?
  private let timeLimit: Duration?

  /// - Parameters:
  ///   - confirmation: answers the questions of commands, also while the file loads.
  ///   - rehearsal: the purpose of loading the file without executing it, so that it cannot start
  ///     or change anything while it loads; nil to execute it. `--trust` removes the restriction.
  ///   - timeLimit: the limit for uninterrupted Lua code if no option sets one; nil for no limit.
  package init(
    _ line: CommandLine, confirmation: @escaping HostPolicy.Confirmation,
    rehearsal: String? = nil, timeLimit: Duration? = nil
  ) {
    self.line = line
    self.confirmation = confirmation
    self.rehearsal = line.has(.trust) ? nil : rehearsal
    self.timeLimit = timeLimit
  }

  /// The time limit for code and conditions when a command file is only inspected.
  package static let lookingTime = Duration.seconds(5)

  /// Calls `body` with the session and the file's name once the file has loaded.
  ///
  /// - Parameter lookAtPart: called with the session if the file has not loaded completely.
  /// - Throws: `CommandFileError` if there is no such file, or it does not load.
  package func use(
    lookAtPart: (Session) -> Void = { _ in }, _ body: (Session, String) throws -> Int32
  ) throws -> Int32 {
    try line.enterDirectory()
    guard let path = try line.commandFile() else { throw CommandFileError.noCommandFile }
    let (directory, name) = CommandFile.split(path)
    // Commands run in the folder of their file.
    do { try CommandFile.enter(directory) } catch {
      throw CommandFileError(message: "cannot read \(path): \(error.reason)")
    }
    let session = try Session(
      scriptName: path, arguments: [], line: line, confirmation: confirmation)
    return try session.use {
      if let rehearsal { session.host.rehearse(for: rehearsal) }
      if let timeLimit {
        session.host.limitTime(to: line.duration(.conditionTimeout) ?? timeLimit)
      }
      do { try session.load(name, named: path) } catch {
        lookAtPart(session)
        throw error
      }
      // A signal may have arrived right after it.
      if session.isEnding { return ExitStatus.failure }
      return try body(session, path)
    }
  }
}
