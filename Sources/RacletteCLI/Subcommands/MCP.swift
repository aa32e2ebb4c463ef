import RunnerCore
import RunnerPanel

extension Subcommand {
  static let mcp: Subcommand = Subcommand(
    name: "mcp", underMake: .leftOut, arguments: "",
    summary: "Offer the commands to an agent: the Model Context Protocol on the standard streams",
    options: [.file, .global], passesArguments: false
  ) { line in
    try line.refuseWords(beyond: 0, usage: Subcommand.mcp.usage)
    return try StandardStreamsServer.serve(line)
  }
}
