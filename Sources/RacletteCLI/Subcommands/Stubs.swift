import RunnerCore
import Scripting

extension Subcommand {
  static let stubs: Subcommand = Subcommand(
    name: "stubs", underMake: .leftOut, arguments: "",
    summary: "Print the Lua library's definitions for editors (LuaCATS)", options: [],
    passesArguments: false
  ) { line in
    if let surplus = line.words.first {
      throw UsageError.unexpectedArgument(surplus, usage: Subcommand.stubs.usage)
    }
    try Terminal.output(Library.stubs())
    return ExitStatus.success
  }
}
