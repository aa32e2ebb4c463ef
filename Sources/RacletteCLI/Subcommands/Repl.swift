import LuaRuntime
import Platform
import RunnerCore
import RunnerREPL
import Scripting

extension Subcommand {
  static let repl: Subcommand = Subcommand(
    name: "repl", underMake: .leftOut, arguments: "[FILE...]",
    summary: "Open the REPL: explore signals and run commands line by line",
    options: [.file, .adopt, .global, .resource, .yes] + Option.confinement,
    passesArguments: false
  ) { line in
    try Repl.loading(line)
  }
}
