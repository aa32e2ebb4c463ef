import Scripting

/// Finds and loads a command file, provides its session, and ends it.
package struct CommandFileSession {
  private let line: CommandLine
  private let confirmation: HostPolicy.Confirmation
  private let rehearsal: String?
  private let timeLimit: Duration?
  private let services: (any ServiceProvider)?
  private let environment: () -> CallerEnvironment

  /// - Parameters:
  ///   - confirmation: answers the questions of commands, also while the file loads.
  ///   - rehearsal: the purpose of loading the file without executing it, so that it cannot start
  ///     or change anything while it loads; nil to execute it. `--trust` removes the restriction.
  ///   - timeLimit: the limit for uninterrupted Lua code if no option sets one; nil for no limit.
  ///   - services: provides services; nil for the hub of the command file.
  ///   - environment: returns the variables that each interpreter has.
  package init(
    _ line: CommandLine, confirmation: @escaping HostPolicy.Confirmation,
    rehearsal: String? = nil, timeLimit: Duration? = nil,
    services: (any ServiceProvider)? = nil,
    environment: @escaping () -> CallerEnvironment = { .own }
  ) {
    self.environment = environment
    self.services = services
    self.line = line
    self.confirmation = confirmation
    self.rehearsal = line.has(.trust) ? nil : rehearsal
    self.timeLimit = timeLimit
  }

  /// The time limit for code and conditions when a command file is only inspected.
  package static let lookingTime = Duration.seconds(5)

  /// Calls `body` with the session and the file's name once the file has loaded.
  ///
  /// - Parameters:
  ///   - lookAtPart: called with the session if the file has not loaded completely.
  ///   - goesOn: called then with the reason; returns true to go on without any of its commands.
  /// - Throws: `CommandFileError` if there is no such file, or it does not load.
  package func use(
    lookAtPart: (Session) -> Void = { _ in }, goesOn: (any Error) -> Bool = { _ in false },
    _ body: (Session, String) throws -> Int32
  ) throws -> Int32 {
    try line.enterDirectory()
    guard let path = try line.commandFile() else { throw CommandFileError.noCommandFile }
    let (directory, name) = CommandFile.split(path)
    // Commands run in the folder of their file.
    do { try CommandFile.enter(directory) } catch {
      throw CommandFileError(message: "cannot read \(path): \(error.reason)")
    }
    if !line.has(.sandbox) { EarlyLister.begin(name) }
    let session = try Session(
      scriptName: path, arguments: [], line: line, confirmation: confirmation,
      services: services.map { .provided($0) }
        ?? (rehearsal == nil ? .hub(commandFile: name) : .own),
      project: name, environment: environment)
    return try session.use {
      if let rehearsal { session.host.rehearse(for: rehearsal) }
      if let timeLimit {
        session.host.limitTime(to: line.duration(.conditionTimeout) ?? timeLimit)
      }
      do { try session.load(name, named: path) } catch {
        lookAtPart(session)
        guard goesOn(error) else { throw error }
        try session.replaceHost { _ in true }
      }
      // A signal may have arrived right after it.
      if session.isEnding { return ExitStatus.failure }
      return try body(session, path)
    }
  }
  /// The result of a look at a command file.
  package enum Look {
    /// It has loaded; the answer about its commands.
    case complete(Bool)
    /// It would have started or changed something; the answer about the commands before that.
    case refused(Bool)
    /// It is missing or does not load; the answer about the commands before the failure.
    case failed(Failure, Bool)
    /// A signal has ended the look, and so the run; the exit status.
    case ended(Int32)
  }

  /// Loads the command file to answer a question about its commands. It can start and change nothing
  /// but the variables and the folder of the program, its output is dropped, and it has five seconds.
  ///
  /// - Parameter purpose: the activity, for the reason of a refusal.
  package static func look(
    at line: CommandLine, for purpose: String, _ question: (ScriptHost) -> Bool
  ) throws -> Look {
    let path: String
    do {
      try line.enterDirectory()
      guard let file = try line.commandFile() else { return .complete(false) }
      path = file
      try CommandFile.enter(CommandFile.split(path).directory)
    } catch {
      // The subcommand fails by the same reason, if it needs the file.
      return .complete(false)
    }
    let session = try Session(
      scriptName: path, arguments: [], line: line, confirmation: Confirmations.refuse)
    var look = Look.complete(false)
    let status = try session.use {
      let host = session.host
      host.rehearse(for: purpose)
      host.limitTime(to: lookingTime)
      session.mute()
      let failure = session.load(CommandFile.split(path).name, named: path, within: lookingTime)
      let answer = question(host)
      look =
        if let failure {
          host.isRefusal(failure) ? .refused(answer) : .failed(failure, answer)
        } else {
          .complete(answer)
        }
      return ExitStatus.success
    }
    return session.interruptionStatus == nil ? look : .ended(status)
  }
}
