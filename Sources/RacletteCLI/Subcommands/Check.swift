import LuaRuntime
import Platform
import RunnerCore
import Scripting

extension Subcommand {
  static let check: Subcommand = Subcommand(
    name: "check", arguments: "[FILE]...",
    summary: "Load command files and scripts without executing, and report every problem",
    options: [.file, .global, .trust] + Option.confinement, passesArguments: false,
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

  /// Tells of a command that the short form of a call does not reach.
  private static func tellClash(_ command: ScriptCommand, _ report: Report) {
    for name in [command.name] + command.aliases where all.contains(where: { $0.name == name }) {
      let place = command.position.map { "\($0): " } ?? ""
      report.say(
        "\(place)'\(name)' is a subcommand too: 'raclette run \(name)' executes the command")
    }
  }

  /// Loads one file in a separate interpreter and prints its problems.
  private static func check(_ file: String, _ line: CommandLine) throws -> Int32 {
    let (directory, name) = CommandFile.split(file)
    do { try CommandFile.enter(directory) } catch {
      try Terminal.output("\(file): \(error.reason)\n")
      return ExitStatus.commandFileError
    }
    var problems: [String] = []
    let session = try Session(
      scriptName: file, arguments: [], line: line, confirmation: Confirmations.refuse,
      mistakes: .report { problems.append($0) })
    return try session.use {
      if !line.has(.trust) { session.host.rehearse(for: "check") }
      session.host.limitTime(to: CommandFileSession.lookingTime)
      let failure = session.execute(.commandFile(name, name: file))
      let isPart = failure.map(session.host.isRefusal) ?? false
      if let failure, !session.isEnding, !isPart { problems.append(failure.message) }
      let doesLoad = problems.isEmpty
      // The definitions in the rest of a file are unknown.
      let unusable =
        session.host.problemsWithNeeds(isPart: isPart) + session.host.problemsWithUse()
        + session.host.problemsWithOutputs()
      problems += unusable.map(\.atPosition.message)
      problems += session.host.problemsWithDiscardedSignals().map(\.message)
      for problem in problems { try Terminal.output(Secrets.masked(problem).visible + "\n") }
      for command in session.host.commands { tellClash(command, session.report) }
      if let failure, isPart {
        session.report.log(.warn, "\(failure.message); what follows was not checked")
      } else if problems.isEmpty {
        let count = session.host.commands.count
        session.report.say("\(file): \(count) \(count == 1 ? "command" : "commands"), no problems")
      }
      if problems.isEmpty { return ExitStatus.success }
      return doesLoad ? ExitStatus.failure : ExitStatus.commandFileError
    }
  }
}
