import Scripting

/// Finds and loads a command file, lends the session, and ends it.
struct CommandFileSession {
  private let line: CommandLine
  private let isRehearsal: Bool

  /// - Parameter isRehearsal: whether nothing may be executed, not even while the file loads.
  init(_ line: CommandLine, isRehearsal: Bool = false) {
    self.line = line
    self.isRehearsal = isRehearsal
  }

  /// Calls `body` with the session and the file's name once the file has loaded.
  ///
  /// - Throws: `Unloadable` if there is no such file, or it does not load.
  func use(_ body: (Session, String) throws -> Int32) throws -> Int32 {
    try line.enterDirectory()
    guard let path = line[.file] ?? CommandFile.nearest() else {
      throw Unloadable.noCommandFile
    }
    let (directory, name) = CommandFile.split(path)
    // Commands run in the folder of their file.
    do { try CommandFile.enter(directory) } catch {
      throw Unloadable(message: "cannot read \(path): \(error.reason)")
    }
    let session = try Session(scriptName: path, arguments: [], line: line)
    return try session.use {
      if isRehearsal { try session.host.rehearse() }
      if let failure = session.execute(.file(name, name: path)) {
        throw Unloadable(message: failure.message)
      }
      return try body(session, path)
    }
  }
}
