import Journal
import Platform
import Reactive
import RunnerBatch
import RunnerCluster
import RunnerCore
import Scripting
import Synchronization

extension Subcommand {
  static let retry: Subcommand = Subcommand(
    name: "retry", underMake: .leftOut, arguments: "[ID...]",
    summary: "Execute failed entries of the last batch, or recorded executions, again",
    options: [.file, .global, .failed] + Option.batch.filter { $0.name != .resume }
      + [.queueKey],
    passesArguments: false
  ) { line in
    if line.has(.failed), let word = line.words.first {
      throw UsageError.unexpectedArgument(word, usage: "raclette :retry [--failed | ID...]")
    }
    let question = try JournalQuery.asked(by: line)
    let executions: [RecordedExecution]
    if line.words.isEmpty {
      var filter = ExecutionFilter()
      let batch = try question.batch(nil).id
      filter.batch = batch
      filter.states = RecordedState.unsuccessful
      executions = try question.executions(filter)
      guard !executions.isEmpty else {
        let earlier = try question.hasFailures(before: batch)
        Terminal.error(
          "raclette: there is nothing to execute again: no entry of batch \(batch), the last one, has "
            + "failed" + (earlier ? "; 'raclette history --failed' lists those of others" : "")
            + "\n")
        return ExitStatus.success
      }
    } else {
      executions = try line.words.map(question.execution)
    }
    let line = try line.continuing(question, executions)
    let lost = executions.filter { $0.kind == .malformed }
    if !lost.isEmpty {
      let places = lost.map { "\($0.plan):\($0.line)".visibleInLine }.joined(separator: ", ")
      Terminal.error(
        "raclette: error: the journal has no command or script of \(places); execute the plan again "
          + "with --resume\n")
    }
    let again = try QueueKey.open(executions.filter { $0.kind != .malformed }, line)
    if again.isEmpty { return ExitStatus.failure }
    let status = try execute(again, question, line)
    return lost.isEmpty ? status : max(status, ExitStatus.failure)
  }

  private static func execute(
    _ again: [RecordedExecution], _ question: JournalQuery, _ line: CommandLine
  ) throws -> Int32 {
    let needsCommands = again.contains { $0.kind == .command }
    guard let journal = question.journal as? Journal else {
      let address = try ServerAddress(JournalPath.server(line) ?? "")
      let scripts = Set(again.filter { $0.kind == .script }.map(\.command)).sorted()
      return try ServerBatch(line, address, plans: ["retry"]).execute(
        needsCommands: needsCommands
      ) { digests in (scripts, RecordedEntries(again, digests)) }
    }
    let session = try BatchSession(line, plans: ["retry"], journal: journal, isRepeating: true)
    return try session.execute(needsCommands: needsCommands) { digests in
      RecordedEntries(again, digests)
    }
  }
}

extension JournalQuery {
  /// True if an entry of an earlier batch has failed, and was not executed with success since.
  fileprivate func hasFailures(before batch: Int64) throws -> Bool {
    var filter = ExecutionFilter()
    filter.states = RecordedState.unsuccessful
    filter.leavesOutCompleted = true
    var isThere = false
    try journal.forEachExecution(filter) {
      isThere = $0.batch < batch
      return !isThere
    }
    return isThere
  }
}

extension CommandLine {
  /// The line with the command file of the batches whose executions it repeats, unless it names one, and
  /// in their folder, to which scripts are relative.
  fileprivate func continuing(
    _ question: JournalQuery, _ executions: [RecordedExecution]
  ) throws -> CommandLine {
    let numbers = Set(executions.map(\.batch))
    var all = try question.journal.batches().filter { numbers.contains($0.id) }
    // Another machine has other folders.
    guard question.journal is Journal else { return try continuing(all) }
    for index in all.indices where all[index].isFolderGone {
      all[index].folder = try folder(ofMoved: all[index], among: executions)
    }
    return try inFolder(of: all).continuing(all)
  }

  /// Returns the folder of a batch whose own is gone: the one that an option names, else the one to which
  /// its journal has moved with it. A command or script of the same name may be anywhere else.
  ///
  /// - Throws: `UsageError` if neither is known, and something to execute depends on it.
  private func folder(
    ofMoved batch: RecordedBatch, among executions: [RecordedExecution]
  ) throws(UsageError) -> String {
    let current = currentFolder() ?? "."
    guard !has(.directory), dependsOnFolder(batch, executions) else { return current }
    guard let folder = batch.folder(ofJournal: JournalPath.forReading(self)) else {
      throw .input(
        "batch \(batch.id) was started in '\(batch.folder)', which is no longer there; "
          + "name its folder with --directory")
    }
    Report(self).say(
      "batch \(batch.id) was started in '\(batch.folder)', which is no longer there; it continues in "
        + "'\(folder)', where its journal is")
    return folder
  }

  /// True if an execution of a batch is relative to its folder.
  private func dependsOnFolder(
    _ batch: RecordedBatch, _ executions: [RecordedExecution]
  ) -> Bool {
    let option = batch.commandFileOption
    let namesFile = namesCommandFile || option == "" || option?.hasPrefix("/") == true
    return executions.contains { execution in
      guard execution.batch == batch.id else { return false }
      return execution.kind == .script ? !execution.command.hasPrefix("/") : !namesFile
    }
  }

  private func inFolder(of batches: [RecordedBatch]) throws -> CommandLine {
    let folders = Set(batches.map(\.folder))
    guard !has(.directory), let folder = folders.first, folders != [currentFolder() ?? "."] else {
      return self
    }
    guard folders.count == 1 else {
      throw UsageError.input(
        "these executions are of batches in different folders; name one with --directory")
    }
    let line = withFullPaths([.file, .journal, .summary, .junit])
    try CommandFile.enter(folder)
    return line
  }

  private func continuing(_ all: [RecordedBatch]) throws -> CommandLine {
    guard !namesCommandFile else { return self }
    let lines = Set(try all.map { try $0.commandFile() })
    guard lines.count < 2 else {
      throw UsageError.input(
        "these executions are of batches with different command files; name one with --file")
    }
    guard let file = lines.first ?? nil else { return self }
    return file.isEmpty ? inheriting(.global, "") : inheriting(.file, file)
  }
}

extension RecordedBatch {
  /// True if nothing is where it was started.
  fileprivate var isFolderGone: Bool { access(folder, F_OK) != 0 && errno == ENOENT }

  /// The line that started it; nil if it is not understood.
  private var line: CommandLine? {
    let known = Subcommand.batch.options + Subcommand.retry.options + Option.common
    return try? CommandLine(Array(arguments.dropFirst()), known: known, stopsAtWord: false)
  }

  /// The command file that the call has named, as it was written; empty for the user's own, nil for the
  /// nearest one.
  fileprivate var commandFileOption: String? {
    guard let line else { return nil }
    return line.has(.global) ? "" : line[.file]
  }

  /// Returns the folder that was moved together with the journal, which is at a path now; nil if the
  /// journal was not in it, or is at another place in it.
  fileprivate func folder(ofJournal path: String) -> String? {
    let (directory, name) = CommandFile.split(path)
    guard let line, let home = resolvedPath(directory) else { return nil }
    var known = line[.journal]
    // The journal of the project is beside its command file.
    if known == nil, !line.has(.global) {
      let file = line[.file].map { CommandFile.split($0).directory + "/" } ?? ""
      known = file + KeptFolder.path("journal.db")
    }
    // The paths of other calls were not relative to the folder that they have entered.
    guard var known, known.hasPrefix("/") || line.words.first?.hasSuffix("batch") == true else {
      return nil
    }
    if known.hasPrefix(folder + "/") { known.removeFirst(folder.count + 1) }
    let parts = known.split(separator: "/").filter { $0 != "." }
    let all = "\(home)/\(name)".split(separator: "/")
    guard !known.hasPrefix("/"), !parts.contains(".."), all.suffix(parts.count) == parts[...] else {
      return nil
    }
    return "/" + all.dropLast(parts.count).joined(separator: "/")
  }

  /// The command file that the call has named; empty for the user's own, nil for the nearest one.
  ///
  /// - Throws: if it is not where a server has recorded that it was: another file of the same name
  ///   may be that of another project.
  fileprivate func commandFile() throws -> String? {
    if let bundledFile {
      let path = "\(folder)/\(bundledFile)"
      if access(path, F_OK) == 0 { return path }
      throw UsageError.input(
        "batch \(id) was started with \(path), which is not here; name a command file with --file")
    }
    guard let file = commandFileOption, !file.isEmpty else { return commandFileOption }
    return file.utf8.first == UInt8(ascii: "/") ? file : "\(folder)/\(file)"
  }
}

/// The entries of recorded executions, with the current versions of their commands and scripts.
final class RecordedEntries: EntrySource {
  private let entries: Mutex<ArraySlice<PlannedEntry>>

  init(_ executions: [RecordedExecution], _ digests: PlanDigests) {
    var names: Set<String> = []
    entries = Mutex(
      executions.map { execution in
        let line = PlanLine(plan: execution.plan, number: execution.line, digests: digests)
        // Names are unique in a plan, but the entries may come from several plans.
        let isNew = execution.name.map { names.insert($0).inserted } ?? false
        return line.entry(again: execution, name: isNew ? execution.name : nil)
      }[...])
  }

  func next(_ limit: Int, _ deliver: @escaping @Sendable (EntryPage) -> Void) {
    deliver(
      entries.withLock { entries in
        var supply = EntryPage()
        supply.entries = Array(entries.prefix(limit))
        entries = entries.dropFirst(limit)
        supply.isLast = entries.isEmpty
        return supply
      })
  }
}
