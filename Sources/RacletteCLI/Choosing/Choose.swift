import RunnerCore

extension Subcommand {
  static let choose: Subcommand = Subcommand(
    name: "choose", underMake: .answered, arguments: "[ARGS]",
    summary: "Choose a command from a list and execute it",
    options: run.options.filter { $0.name != .choose && $0.name != .interactive },
    passesArguments: true, completion: .files,
    preparing: { line in try run.prepare(line.with(.choose)) })
}

extension Option {
  static let choose = Option(
    name: .choose, long: "choose", help: "choose the command from a list that you can filter")
}
