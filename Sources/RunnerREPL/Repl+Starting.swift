import LuaRuntime
import Platform
import RunnerCore
import Scripting

extension Repl {
  /// Begins a session and executes entries in it.
  ///
  /// - Parameters:
  ///   - project: the file, from the current folder, whose runs share resources.
  ///   - prepare: creates the initial state; returns true on success. On failure, a session with a pipe
  ///     ends, and an interactive one continues with the state that exists.
  private static func start(
    _ line: CommandLine, scriptName: String = "repl", arguments: [String] = [],
    services: Session.Services = .own, project: String? = nil, _ prepare: (Repl) throws -> Bool
  ) throws -> Int32 {
    // It outlives the end of the session, which still notifies its jobs.
    var begun: Repl?
    let session = try Session(
      scriptName: scriptName, arguments: arguments, line: line,
      confirmation: { call throws(Failure) in
        guard let begun else { return try Confirmations.refuse(call) }
        try begun.confirm(call)
      }, services: services, project: project, signals: Repl.signals)
    let status = try session.use {
      let repl = try Repl(session, line)
      begun = repl
      defer { repl.end() }
      repl.initialize()
      let isReady = try prepare(repl)
      guard isReady || repl.editor.isInteractive else { return ExitStatus.commandFileError }
      repl.run()
      return ExitStatus.success
    }
    guard status == ExitStatus.success, let begun, !begun.editor.isInteractive else {
      return status
    }
    return begun.status
  }

  /// `repl`: starts a session in which files have been loaded.
  package static func loading(_ line: CommandLine) throws -> Int32 {
    try line.enterDirectory()
    let files = try ReplFiles(line)
    return try start(line, services: files.services, project: files.project) { repl in
      repl.load(files.all)
    }
  }

  /// `exec -i`: starts a session with the state that a script leaves.
  package static func afterExecuting(
    _ source: ScriptSource, _ name: String, _ arguments: [String], _ line: CommandLine
  ) throws -> Int32 {
    try start(line, scriptName: name, arguments: arguments, project: source.path) { repl in
      repl.workspace.files = LoadedFile(script: source).map { [$0] } ?? []
      repl.execute(source)
      return true
    }
  }

  /// `run -i`: starts a session in which commands have been run.
  package static func afterRunning(_ words: [String], _ line: CommandLine) throws -> Int32 {
    try line.enterDirectory()
    let files = try ReplFiles(line, words: [])
    guard !files.all.isEmpty else { throw CommandFileError.noCommandFile }
    return try start(line, services: files.services, project: files.project) { repl in
      guard repl.load(files.all) else { return false }
      repl.runCommand(words, isBackground: false)
      return true
    }
  }
}

/// The files with which a session begins: the named ones, or the nearest command file. Commands run
/// in the folder of their file, so the session changes to that of the first.
private struct ReplFiles {
  let all: [LoadedFile]
  /// Those of the hub of the file; several files have none.
  let services: Session.Services
  /// The one whose runs share resources.
  let project: String?

  init(_ line: CommandLine, words: [String]? = nil) throws {
    let words = words ?? line.words
    let isNamed = line.namesCommandFile || words.isEmpty
    let given = (isNamed ? try line.commandFile().map { [$0] } ?? [] : []) + words
    guard let first = given.first else {
      all = []
      services = .own
      project = nil
      return
    }
    let (folder, name) = CommandFile.split(first)
    services = given.count == 1 ? .hub(commandFile: name) : .own
    project = name
    all = try given.map(LoadedFile.init)
    do { try CommandFile.enter(folder) } catch {
      throw CommandFileError(message: "cannot read \(first): \(error.reason)")
    }
  }
}
