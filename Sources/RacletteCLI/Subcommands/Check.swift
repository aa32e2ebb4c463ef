import LuaRuntime
import Platform
import RunnerCore
import Scripting

extension Subcommand {
  static let check: Subcommand = Subcommand(
    name: "check", underMake: .answered, arguments: "[FILE]...",
    summary: "Load command files and scripts without executing, and report every problem",
    options: [.file, .adopt, .global, .trust, .resource] + Option.confinement,
    passesArguments: false,
    completion: .files
  ) { line in
    try line.enterDirectory()
    var files = line.all(.file) + line.words
    if line.has(.global) || files.isEmpty, let file = try line.commandFile() {
      files.insert(file, at: 0)
    }
    guard !files.isEmpty else { throw CommandFileError.noCommandFile }
    let start = open(".", O_RDONLY | O_CLOEXEC)
    defer { close(start) }
    var status = ExitStatus.success
    for file in files {
      status = max(status, try check(file, line))
      fchdir(start)
    }
    return status
  }

  /// Loads one file in a separate interpreter and prints its problems.
  private static func check(_ file: String, _ line: CommandLine) throws -> Int32 {
    let (directory, name) = CommandFile.split(file)
    do { try CommandFile.enter(directory) } catch {
      try Terminal.output("\("\(file): \(error.reason)".visibleInMessage)\n")
      return ExitStatus.commandFileError
    }
    var problems: [String] = []
    let session = try Session(
      scriptName: file, arguments: [], line: line, confirmation: Confirmations.refuse,
      mistakes: .report { problems.append($0) })
    return try session.use {
      if !line.has(.trust) { session.host.rehearse(for: "check") }
      session.host.limitTime(to: CommandFileSession.lookingTime)
      let unhandled = UnhandledFailures()
      session.host.add(unhandled)
      let failure = session.execute(.commandFile(name, name: file))
      let isPart = failure.map(session.host.isRefusal) ?? false
      if let failure, !session.isEnding, !isPart { problems.append(failure.message) }
      problems += unhandled.failures.filter { !session.host.isRefusal($0) }.map(
        \.atPosition.message)
      let doesLoad = problems.isEmpty
      // The definitions in the rest of a file are unknown.
      let unusable =
        session.host.problemsWithNilFields() + session.host.problemsWithNeeds(isPart: isPart)
        + session.host.problemsWithUse() + session.host.problemsWithCaching()
        + session.host.problemsWithOutputs()
      problems += unusable.map(\.atPosition.message)
      // One at the top level was found when the file was executed.
      problems += session.host.problemsWithDiscardedSignals().map(\.message)
        .filter { !problems.contains($0) }
      for problem in problems {
        try Terminal.output(Secrets.masked(problem).visibleInMessage + "\n")
      }
      let notes =
        (session.host.notesOnUse() + session.host.notesOnSources()
        + session.host.notesOnUnsetVariables()).map(\.atPosition.message)
        + session.host.replacedRecipes + session.host.missingTools
        + session.host.unneededSources + session.host.unreadNeeds + session.host.uncountedServices
      for note in notes { session.report.say(note) }
      if let failure, isPart {
        session.report.log(.warn, "\(failure.message); what follows was not checked")
      } else if problems.isEmpty {
        let count = session.host.commands.count
        let unnamed = count == 0 ? session.host.unnamedHint : ""
        let outcome =
          notes.isEmpty ? "no problems" : notes.count == 1 ? "1 note" : "\(notes.count) notes"
        session.report.say(
          "\(file): \(count) \(count == 1 ? "command" : "commands")\(unnamed), \(outcome)")
      }
      // What was not checked may be wrong.
      if problems.isEmpty { return isPart ? ExitStatus.failure : ExitStatus.success }
      return doesLoad ? ExitStatus.failure : ExitStatus.commandFileError
    }
  }
}

/// The failures that nothing handles, which are problems of the file.
private final class UnhandledFailures: HostObserver {
  private(set) var failures: [Failure] = []

  func hostLeftUnhandled(_ failure: Failure) -> Bool {
    failures.append(failure)
    return true
  }
}
