import Journal
import RunnerBatch
import RunnerCluster
import RunnerCore

extension JournalQuery {
  /// A query of the journal that a line names: a file, or a server.
  static func asked(by line: CommandLine) throws -> JournalQuery {
    try line.enterDirectory()
    if let url = JournalPath.server(line) {
      return JournalQuery(line, of: try ServerJournal(ServerAddress(url)))
    }
    return JournalQuery(line, of: try Journal(JournalPath.forReading(line), isCreated: false))
  }
}

extension CommandLine {
  /// The address of the server that the journal is on.
  ///
  /// - Throws: if the journal is a file, or none is named.
  func serverAddress(for subcommand: String) throws -> ServerAddress {
    try enterDirectory()
    guard let url = JournalPath.server(self) else {
      throw UsageError.input(
        "'\(subcommand)' needs a journal on a server: --journal postgresql://HOST/DATABASE, or the "
          + "variable RACLETTE_JOURNAL")
    }
    return try ServerAddress(url)
  }
}
