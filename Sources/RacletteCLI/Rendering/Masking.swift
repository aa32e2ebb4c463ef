import Journal
import Platform
import Scripting

/// Masks secrets in records and reports, as in printed output.

extension Failure {
  /// The failure with secrets masked in the texts of scripts and processes.
  var masked: Failure {
    guard !Secrets.isEmpty else { return self }
    var failure = mapTexts { Secrets.masked($0) }
    failure.inputJSON = inputJSON.map { Secrets.masked(json: $0) }
    return failure
  }
}

extension PlanEntry {
  /// The entry with secrets masked; its keys are still those of the real input and `id`. The name
  /// of a command is part of the command file, and stays.
  var masked: PlanEntry {
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
  init(plan: String, folder: String, jobs: Int) {
    self.init(
      plan: Secrets.masked(plan), folder: Secrets.masked(folder),
      arguments: ProcessEnvironment.arguments().map { Secrets.masked($0) }, jobs: jobs)
  }
}

extension BatchResult {
  /// The result with secrets masked; its output was masked on arrival.
  var masked: BatchResult {
    guard !Secrets.isEmpty else { return self }
    var result = self
    result.planned = PlannedEntry(entry: entry.masked, problem: planned.problem)
    switch outcome {
    case .failed(let failure): result.outcome = .failed(failure.masked)
    case .cancelled(let failure): result.outcome = .cancelled(failure.masked)
    case .completed, .skipped: break
    }
    return result
  }
}
