import RunnerCluster
import RunnerCore
import RunnerPanel
import Scripting

extension Subcommand {
  static let panel: Subcommand = Subcommand(
    name: "panel", underMake: .leftOut, arguments: "",
    summary: "Open the commands as a live web page",
    options: Option.panel + [.panelJournal, .bundle], passesArguments: false
  ) { line in
    if let path = line[.journal], !JournalPath.isServer(path) {
      throw UsageError.input(
        "the panel shares a journal on a server, and '\(path)' is a file: --journal "
          + "postgresql://HOST/DATABASE")
    }
    guard let url = JournalPath.server(line) else {
      if line.has(.bundle) {
        throw UsageError.input(
          "--bundle needs a journal on a server: --journal postgresql://HOST/DATABASE")
      }
      return try Panel.serve(line)
    }
    let address = try ServerAddress(url)
    return try Panel.serve(line) { JournalQueue(address, line, on: $0.loop) }
  }
}

extension Option {
  static let panelJournal = Option(
    name: .journal, long: "journal", value: "URL",
    help: "show and feed all workers of this journal, postgresql://HOST/DATABASE")
}
