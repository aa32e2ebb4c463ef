import RunnerCore
import RunnerPanel
import Scripting

extension Subcommand {
  /// The process that holds what outlives a terminal.
  static let hub: Subcommand = Subcommand(
    name: "hub", underMake: .leftOut, arguments: "",
    summary: "Hold services and detached executions",
    options: [.file], passesArguments: false
  ) { line in
    try Hub.serve(line)
  }

  static let ps: Subcommand = Subcommand(
    name: "ps", underMake: .answered, arguments: "",
    summary: "Show the services and detached executions of a command file",
    options: [.file, .global, .json], passesArguments: false
  ) { line in
    try line.refuseWords(beyond: 0, usage: Subcommand.ps.usage)
    return try HubSession.use(line) { session, client in
      let listing = try HubListing(of: client, in: session)
      if session.isEnding { return ExitStatus.failure }
      if line.has(.json) {
        try Terminal.output(json: listing.json.text)
        return ExitStatus.success
      }
      let text = listing.text
      try Terminal.output(text)
      if text.isEmpty { session.report.say("nothing is running for \(client.place.commandFile)") }
      for remark in listing.remarks { session.report.say(remark) }
      return ExitStatus.success
    }
  }
}

/// The calls of `run -d`, `attach` and `cancel` with the hub of a command file.
enum HubCalls {
  /// Starts an execution that goes on behind the runner, and prints its number.
  static func detach(
    _ plan: Plan, _ line: CommandLine, file: String, in session: Session
  ) throws -> Int32 {
    let steps = plan.steps.filter(\.isRequested)
    guard steps.count == 1, let step = steps.first else {
      throw UsageError.input(
        "-d accepts one command, because each detached execution has its own number")
    }
    do throws(Failure) {
      for call in plan.steps.map(\.call) + plan.inner { try session.host.confirm(call) }
    } catch {
      guard error.kind == .input else { throw error }
      throw UsageError.input(error.message)
    }
    var body: [(String, JSONValue)] = [("confirmed", .bool(true))]
    if !step.input.isNil { body.append(("input", try session.host.jsonValue(step.input))) }
    let client = HubClient(try HubPlace(ofLoaded: file), on: session.loop, session.report)
    let name = PercentEncoding.encoded(step.command.name)
    let answer = try client.ask(
      HubRequest(
        "POST", "commands/\(name)/executions", .object(body),
        from: .loaded(session.host.environment)), .start, in: session)
    guard let number = answer[field: "id"]?.integer else { return ExitStatus.failure }
    if line.has(.json) {
      try Terminal.output(
        json: JSONValue.object([
          ("execution", .integer(number)), ("command", .string(step.command.name)),
        ]).text)
    } else {
      try Terminal.output("\(number)\n")
    }
    return ExitStatus.success
  }

  static func attach(_ line: CommandLine, _ number: Int64) throws -> Int32 {
    for option in [Option.summary, .junit] where line.has(option.name) {
      throw UsageError.input(
        "--\(option.long) needs a batch: --journal postgresql://HOST/DATABASE names its journal")
    }
    return try HubSession.use(line) { session, client in
      try HubAttachment(line, number, in: session).show(client)
    }
  }

  static func cancel(_ line: CommandLine, _ number: Int64) throws -> Int32 {
    try HubSession.use(line) { session, client in
      _ = try client.ask(HubRequest("DELETE", "executions/\(number)"), .fail, in: session)
      if session.isEnding { return ExitStatus.failure }
      session.report.say("cancelling execution \(number)")
      return ExitStatus.success
    }
  }
}

extension Option {
  static let detach = Option(
    name: .detach, long: "detach", short: "d",
    help: "exit at once and print the number of the execution")
}

extension CommandLine {
  /// Checks that no option excludes `--detach`.
  ///
  /// - Throws: `UsageError`.
  func checkDetached() throws(UsageError) {
    guard has(.detach) else { return }
    let excluded =
      [
        Option.watch, .jobs, .resource, .keepGoing, .force, .noDeps, .timeout, .output, .journal,
        .interactive,
      ]
      + Option.confinement
    for option in excluded where has(option.name) {
      throw .input("--detach and --\(option.long) exclude each other: the hub executes the command")
    }
  }
}
