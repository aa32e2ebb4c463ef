import Journal
import Platform
import Scripting

/// Masks secrets in records and reports, as in printed output.

extension Failure {
  /// The failure with secrets masked in the texts of scripts and processes.
  package var masked: Failure {
    guard !Secrets.isEmpty else { return self }
    var failure = mapTexts { Secrets.masked($0) }
    failure.inputJSON = inputJSON.map { Secrets.masked(json: $0) }
    return failure
  }
}

extension PlanEntry {
  /// The entry with secrets masked; its keys are still those of the real input and `id`. The name
  /// of a command is part of the command file, and stays.
  package var masked: PlanEntry {
    guard !Secrets.isEmpty else { return self }
    var entry = self
    entry.input = kind == .malformed ? Secrets.masked(input) : Secrets.masked(json: input)
    entry.nameKey = nameKey ?? name.map { EntryKey("id", $0) }
    entry.name = name.map { Secrets.masked($0) }
    if kind != .command { entry.command = Secrets.masked(command) }
    return entry
  }
}

extension BatchDescription {
  /// Creates the record of this call, with secrets masked.
  package init(plan: String, folder: String, jobs: Int) {
    self.init(
      plan: Secrets.masked(plan), folder: Secrets.masked(folder),
      arguments: ProcessEnvironment.arguments().map { Secrets.masked($0) }, jobs: jobs)
  }
}
