import Journal
import Platform
import RunnerBatch
import RunnerCore
import Scripting
import Synchronization

/// Calls become batches of one entry, with the command file as it is.
extension JournalQueue {
  package func submit(
    _ call: SharedCall, _ answer: @escaping (Result<SharedExecution, any Error>) -> Void
  ) {
    do {
      try hand(over: call, answer)
    } catch {
      answer(.failure(error))
    }
  }

  private func hand(
    over call: SharedCall, _ answer: @escaping (Result<SharedExecution, any Error>) -> Void
  ) throws {
    let folder = currentFolder() ?? "."
    let digests = PlanDigests(commandFile: call.file, folder: folder)
    let planned = PlanLine(plan: "panel", number: 1, digests: digests)
      .call(of: call.command, input: call.input.flatMap { JSONValue(text: $0) })
    let commands = BatchCommands(host: call.host, file: call.file, digests: digests)
    let checks = { EntryChecks(commands, scripts: [:], asks: false) }
    // What is refused is no batch.
    if let problem = try checks().checked([planned]).first?.problem {
      throw Failure(.input, problem)
    }
    var collection = BundleCollection(root: folder)
    try collection.add(commandFile: call.file, of: call.session)
    for pattern in line.all(.bundle) { try collection.add(pattern: pattern) }
    let submission = Submission(
      link, on: loop, try collection.finish(commandFile: call.file),
      Submission.Description(
        plans: ["panel"], folder: folder,
        options: EntryOptions.text(of: line, and: call.isConfirmed ? [(.yes, "")] : []),
        failsFast: false, enabledTimeout: BatchOptions(line).enabledTimeout / .seconds(1),
        isResumption: false),
      OneEntry(planned), checks())
    var batch = 0
    var isAnswered = false
    submission.onBegin = { batch = Int($0) }
    submission.onEntries = { [weak self] numbers in
      guard let number = numbers.first else { return }
      let execution = SharedExecution(
        id: number, batch: batch, command: call.command,
        input: planned.entry.input.isEmpty ? nil : planned.entry.input,
        created: WallClock.seconds, state: .queued)
      self?.note(execution)
      isAnswered = true
      answer(.success(execution))
    }
    submission.start { error in
      // What is known of a batch that has begun comes from the server.
      guard let error, !isAnswered else { return }
      isAnswered = true
      answer(.failure(error is ServerError ? SharedQueueError("\(error)") : error))
    }
  }
}

/// A plan of one entry.
private final class OneEntry: EntrySource {
  private let entry: PlannedEntry

  init(_ entry: PlannedEntry) { self.entry = entry }

  func next(_ limit: Int, _ deliver: @escaping @Sendable (EntryPage) -> Void) {
    deliver(EntryPage(entries: [entry], isLast: true))
  }
}
