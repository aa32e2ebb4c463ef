import LuaRuntime
import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Subcommand {
  static let repl: Subcommand = Subcommand(
    name: "repl", arguments: "[FILE...]",
    summary: "Explore signals and drive commands, line by line",
    options: [.file] + Option.confinement,
    passesArguments: false
  ) { line in
    try line.enterDirectory()
    let files = try ReplFiles(line)
    let session = try Session(
      scriptName: "repl", arguments: [], line: line, signals: Repl.signals)
    return try session.use {
      let repl = try Repl(session, line)
      guard repl.load(files.all) || repl.editor.isInteractive else {
        return ExitStatus.unloadable
      }
      return repl.run()
    }
  }
}

/// The files that a session begins with: those named, or the nearest command file. Commands run in
/// the folder of theirs, so the session goes to that of the first.
private struct ReplFiles {
  let all: [LoadedFile]

  init(_ line: CommandLine) throws {
    let named = (line[.file].map { [$0] } ?? []) + line.words
    let given = named.isEmpty ? CommandFile.nearest().map { [$0] } ?? [] : named
    guard let first = given.first else {
      all = []
      return
    }
    let folder = CommandFile.split(first).directory
    all = try given.map { path in
      guard let absolute = realpath(path, nil) else {
        throw Unloadable(message: "cannot read \(path): \(systemErrorText(errno))")
      }
      defer { free(absolute) }
      return LoadedFile(path: String(cString: absolute), name: path)
    }
    do { try CommandFile.enter(folder) } catch {
      throw Unloadable(message: "cannot read \(first): \(error.reason)")
    }
  }
}
