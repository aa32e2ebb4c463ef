import Journal
import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// The files that a project has, as the options name them.
struct ProjectPlace {
  /// The command file; nil if there is none.
  let file: String?
  /// Why the options name no command file.
  let problem: String?
  let journal: String
  /// True if the journal is on a server.
  let isOnServer: Bool
  /// True if an option or a variable names the journal; only its usual folder is made.
  let isJournalNamed: Bool

  init(_ line: CommandLine) throws {
    do {
      file = try line.commandFile()
      problem = nil
    } catch let error as CommandFileError {
      file = nil
      problem = error.message
    }
    journal = JournalPath.forReading(line)
    isOnServer = JournalPath.server(line) != nil
    isJournalNamed = JournalPath.named(line) != nil
  }

  /// The folder of the project, as a path that is valid in every folder.
  var folder: String { FileState(file.map { CommandFile.split($0).directory } ?? ".").fullPath }
}

/// The command file, and what the runner keeps beside it.
struct ProjectExamination {
  private let place: ProjectPlace

  init(_ place: ProjectPlace) { self.place = place }

  var findings: [Finding] { [commandFile, states, journal].compactMap { $0 } }

  private var commandFile: Finding {
    let name = "command file"
    if let problem = place.problem { return .problem(name, problem, mend: nil) }
    guard let file = place.file else {
      return .ok(name, "none here or in a folder above; 'raclette :init' writes one")
    }
    let state = FileState(file)
    let path = resolvedPath(file) ?? file
    let word = path.quotedForShell
    guard state.exists else {
      return .problem(
        name, "cannot read \(path): \(state.reason)", mend: "name another one with --file")
    }
    guard state.isFile else {
      return .problem(name, "\(path) is not a regular file", mend: "name another one with --file")
    }
    guard state.isReadable else {
      return .problem(name, "\(path) cannot be read", mend: "chmod u+r \(word)")
    }
    if let problem = Self.problem(inCodeOf: file) {
      return .problem(
        name, problem, mend: "fix it, then check it with 'raclette :check \(word)'")
    }
    guard !state.isWritableForAll else {
      return .warning(
        name, "every user may change \(path), which you execute", mend: "chmod o-w \(word)")
    }
    return .ok(name, path)
  }

  /// Why a file is no Lua code, as `file:line: message`; nil if it is. It is not executed.
  private static func problem(inCodeOf file: String) -> String? {
    do {
      _ = try LuaInterpreter().loadFile(file, from: .regularFile)
      return nil
    } catch {
      return error.message
    }
  }

  /// What is known of commands that are up to date.
  private var states: Finding? {
    guard place.file != nil else { return nil }
    let name = "states of commands"
    let folder = FileState("\(place.folder)/\(KeptFolder.name)")
    let path = "\(place.folder)/\(CommandStates.path)"
    let file = FileState(path)
    if folder.exists, !folder.isFolder {
      return .problem(
        name, "\(folder.path) is not a folder", mend: "move \(folder.path.quotedForShell) away")
    }
    let written = file.exists ? path : folder.exists ? folder.path : place.folder
    guard FileState(written).isWritable else {
      return .warning(
        name, "\(written) cannot be written to, so every command is executed each time",
        mend: "chmod u+w \(written.quotedForShell), as its owner")
    }
    guard file.exists, !file.isEmpty else { return .ok(name, "none yet in \(path)") }
    do {
      _ = try StateFile(path, isCreated: false)
      return .ok(name, "\(path), version \(StateFile.version)")
    } catch {
      return .warning(
        name, "\(error)",
        mend: "none needed: the next command with sources starts a new file next to it")
    }
  }

  private var journal: Finding {
    let name = "journal"
    // The URL may hold a password.
    if place.isOnServer { return .ok(name, "on a server; `raclette :jobs` shows its queue") }
    let file = FileState(place.journal)
    let word = file.word
    if Journal.isOnNetwork(file.exists ? file.path : file.nearest.path) {
      return .warning(
        name, "\(file.path) is on a network file system, where only one machine may use it",
        mend: "name one on a local disk with --journal or RACLETTE_JOURNAL")
    }
    guard file.exists else {
      return missingJournal(file)
    }
    let version: Int
    do { version = try Journal.examine(file.path) } catch {
      return .problem(
        name, "\(error)",
        mend: "name another one with --journal or RACLETTE_JOURNAL, or move it away")
    }
    guard file.isWritable else {
      return .warning(
        name, "\(file.path) cannot be written to", mend: "chmod u+w \(word), as its owner")
    }
    guard !file.isReadableForOthers else {
      return .warning(
        name, "other users may read \(file.path), which holds inputs and output",
        mend: "chmod go= \(word)")
    }
    guard version == Journal.currentVersion else {
      return .ok(
        name,
        "\(file.path), version \(version); the next use makes it version \(Journal.currentVersion)")
    }
    return .ok(name, "\(file.path), version \(version)")
  }

  /// A journal that the next use has to make.
  private func missingJournal(_ file: FileState) -> Finding {
    let name = "journal"
    let mendingName = "name another one with --journal or RACLETTE_JOURNAL"
    guard file.isMissing else {
      return .problem(name, "cannot examine \(file.path): \(file.reason)", mend: mendingName)
    }
    if let obstacle = file.obstacle {
      let text = "none yet in \(file.path), and \(obstacle)"
      if place.isJournalNamed { return .problem(name, text, mend: mendingName) }
      let nearest = file.nearest
      guard nearest.isFolder else {
        return .problem(name, text, mend: "move \(nearest.word) away")
      }
      // Runs need no journal that nobody names.
      return .warning(name, text, mend: mendingName)
    }
    let folder = file.folder
    guard folder.exists || !place.isJournalNamed else {
      return .problem(
        name, "none yet in \(file.path), and there is no folder \(folder.path)",
        mend: "mkdir -p \(folder.word)")
    }
    return .ok(name, "none yet in \(file.path)")
  }
}
