import RunnerCore
import RunnerPanel
import Scripting

extension Subcommand {
  static let panel: Subcommand = Subcommand(
    name: "panel", arguments: "", summary: "Open the commands as a live web page",
    options: Option.panel, passesArguments: false
  ) { line in
    try Panel.serve(line)
  }
}
