import RunnerCluster
import RunnerCore
import Scripting

extension Subcommand {
  static let journal: Subcommand = Subcommand(
    name: "journal", underMake: .leftOut, arguments: "init URL",
    summary: "Create or upgrade the journal in a PostgreSQL database",
    options: [], passesArguments: false, completion: .words(["init"])
  ) { line in
    guard let verb = line.words.first else {
      throw UsageError.missingArgument("init", usage: Subcommand.journal.usage)
    }
    guard verb == "init" else {
      throw UsageError.unexpectedArgument(verb, usage: Subcommand.journal.usage)
    }
    guard line.words.count > 1 else {
      throw UsageError.missingArgument("URL", usage: Subcommand.journal.usage)
    }
    if line.words.count > 2 {
      throw UsageError.unexpectedArgument(line.words[2], usage: Subcommand.journal.usage)
    }
    return try JournalInit.execute(line.words[1], line)
  }
}
