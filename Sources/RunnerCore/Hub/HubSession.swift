import Scripting

/// The session of a subcommand that asks the hub of a command file, which it does not load itself.
package enum HubSession {
  /// Calls `body` with a session and the way to the hub.
  ///
  /// - Throws: `CommandFileError` if there is no command file.
  package static func use(
    _ line: CommandLine, _ body: (Session, HubClient) throws -> Int32
  ) throws -> Int32 {
    try line.enterDirectory()
    guard let path = try line.commandFile() else { throw CommandFileError.noCommandFile }
    let place = try HubPlace(path)
    let session = try Session(
      scriptName: path, arguments: [], line: line, confirmation: Confirmations.refuse)
    return try session.use {
      try body(session, HubClient(place, on: session.loop, session.report))
    }
  }
}
