import Platform
import RunnerCore
import Scripting

extension CommandLine {
  /// Rejects options of a batch that exclude each other, and files of which one would overwrite the
  /// other.
  ///
  /// - Parameter journal: the path of the journal; nil if it is no file.
  package func checkBatch(_ plans: [String], journal: String?) throws(UsageError) {
    if has(.failFast), has(.keepGoing) {
      throw .input("--fail-fast and --keep-going exclude each other")
    }
    var taken = plans.filter { $0 != "-" }.map { (name: "the plan", path: $0) }
    if let journal {
      // SQLite has two more beside it.
      for suffix in ["", "-wal", "-shm"] { taken.append(("the journal", journal + suffix)) }
    }
    if let file = try? commandFile() { taken.append(("the command file", file)) }
    try rejectSharedFiles([.summary, .junit], taken)
  }

  /// Rejects reports that would overwrite a file from which commands read their variables.
  package func rejectReports(
    overEnvironmentFilesOf host: ScriptHost, in folder: String
  ) throws(UsageError) {
    for command in host.commands {
      let files = command.variableFiles.map { ("the env_file of '\(command.name)'", $0) }
      try rejectSharedFiles([.summary, .junit], files, in: folder)
    }
  }

  /// Rejects options whose file would overwrite one that has another purpose.
  ///
  /// - Parameters:
  ///   - taken: files in use, with their purposes.
  ///   - folder: the folder to which the paths of the options are relative.
  package func rejectSharedFiles(
    _ options: [Option], _ taken: [(name: String, path: String)], in folder: String = "."
  ) throws(UsageError) {
    var taken = taken
    for option in options {
      guard let name = self[option.name] else { continue }
      let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
      if let other = taken.first(where: { ReportFile.isSame($0.path, path) }) {
        throw .input("--\(option.long) '\(name)' is \(other.name) too")
      }
      // A script or one of its modules: the set of files is unknown before they are read.
      if path.hasSuffix(".lua"), access(path, F_OK) == 0 {
        throw .input("--\(option.long) '\(name)' is a Lua file")
      }
      taken.append(("the file of --\(option.long)", path))
    }
  }
}
