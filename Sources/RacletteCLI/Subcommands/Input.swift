import RunnerCore
import Scripting

extension Subcommand {
  static let input: Subcommand = Subcommand(
    name: "input", underMake: .leftOut, arguments: "NUMBER TEXT",
    summary: "Send a line to a detached execution that waits for input",
    options: [.file, .global], passesArguments: false
  ) { line in
    try line.refuseWords(beyond: 2, usage: Subcommand.input.usage)
    for (place, name) in ["NUMBER", "TEXT"].enumerated() where line.words.count <= place {
      throw UsageError.missingArgument(name, usage: Subcommand.input.usage)
    }
    let number = try CommandLine.number(in: line.words[0])
    return try HubSession.use(line) { session, client in
      let body = JSONValue.object([("text", .string(line.words[1]))])
      _ = try client.ask(
        HubRequest("POST", "executions/\(number)/input", body), .fail, in: session)
      return session.isEnding ? ExitStatus.failure : ExitStatus.success
    }
  }
}
