import Journal
import LuaRuntime
import Platform

/// The path of the journal: `--journal`, else `RACLETTE_JOURNAL`, else `.raclette/journal.db`
/// beside the command file.
package enum JournalPath {
  /// The journal of a batch: the last of these only for a batch to be resumed; nil for none.
  package static func forBatch(_ line: CommandLine) throws(UsageError) -> String? {
    if let path = named(line) { return try made(absolute(path)) }
    guard line.has(.resume) || line.isForAgents else { return nil }
    return try ofProject(line)
  }

  /// The journal of the project, in its folder, which is made.
  private static func ofProject(_ line: CommandLine) throws(UsageError) -> String {
    try made(absolute(projectFolder(line) + KeptFolder.path("journal.db")))
  }

  /// The path of a journal that is to be written. Its folder is made if it is `.raclette`.
  private static func made(_ path: String) throws(UsageError) -> String {
    guard let folder = path.cut(atLast: "/")?.before,
      folder.split(separator: "/").last?.elementsEqual(KeptFolder.name) == true, !isServer(path)
    else { return path }
    let code = KeptFolder.make(String(folder))
    guard code == 0 else { throw .input("cannot make '\(folder)': \(systemErrorText(code))") }
    return path
  }

  /// The journal of a run, as a path that is valid in every folder; nil for none.
  ///
  /// - Throws: for an option with a server, which records batches only. The variable may name one
  ///   for other subcommands.
  package static func forRun(_ line: CommandLine) throws(UsageError) -> String? {
    guard let path = named(line) else { return line.isForAgents ? try ofProject(line) : nil }
    if isServer(path) {
      if !line.has(.journal) { return nil }
      throw .input("a journal on a server records batches; a run needs a file")
    }
    return try made(named(path, line))
  }

  /// The journal that is named for the presses of a panel, as a path that is valid in every folder; nil
  /// for that of the project.
  package static func forPanel(_ line: CommandLine) -> String? {
    named(line).flatMap { isServer($0) ? nil : named($0, line) }
  }

  private static func named(_ path: String, _ line: CommandLine) -> String {
    // The process has not changed to that folder yet.
    if let folder = line[.directory], !path.hasPrefix("/") { return absolute("\(folder)/\(path)") }
    return absolute(path)
  }

  /// The journal of a query.
  package static func forReading(_ line: CommandLine) -> String {
    absolute(named(line) ?? projectFolder(line) + KeptFolder.path("journal.db"))
  }

  /// The URL of the server that the journal is on; nil if it is a file.
  package static func server(_ line: CommandLine) -> String? {
    named(line).flatMap { isServer($0) ? $0 : nil }
  }

  /// Returns true if a journal is on a server and not a file.
  package static func isServer(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// The journal that an option or a variable names; nil if none does.
  package static func named(_ line: CommandLine) -> String? {
    line[.journal] ?? environment("RACLETTE_JOURNAL")
  }

  private static func projectFolder(_ line: CommandLine) -> String {
    guard let file = try? line.commandFile() else { return "" }
    let directory = CommandFile.split(file).directory
    return directory == "." ? "" : directory + "/"
  }

  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(currentFolder() ?? ".")/\(path)"
  }
}
