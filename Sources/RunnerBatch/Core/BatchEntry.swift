import Platform
import Commands
import EventLoop
import Journal
import LuaRuntime
import RunnerCore
import Scripting

/// A claimed entry of a batch, from its claim to its end: a source of one request.
final class BatchEntry {
  let planned: PlannedEntry
  /// The number of its execution in the journal; 0 without one.
  let execution: Int64
  /// The reason why it cannot be executed, reported at its turn.
  let flaw: Failure?
  /// The state of what it needs; nil if it needs nothing.
  let needs: NeedsState?
  /// The record that events refer to, once it has started.
  var record: ExecutionRecord?
  /// The executed key, if it differs from the one in the plan.
  var executedKey: EntryKey?
  /// The start time in seconds since 1970, once it has started.
  private(set) var started: Double?
  private(set) var startTime = Duration.zero
  private unowned let batch: BatchRun
  private var script: ScriptRun?

  init(
    _ planned: PlannedEntry, execution: Int64, in batch: BatchRun, needs: NeedsState? = nil,
    flaw: Failure? = nil
  ) {
    self.planned = planned
    self.execution = execution
    self.batch = batch
    self.needs = needs
    self.flaw = flaw
  }

  /// Its number in the journal; nil without one.
  var recordedAs: Int64? { execution == 0 ? nil : execution }
}

extension BatchEntry: ExecutionRequester {
  func isReady(_ request: ExecutionRequest) -> Bool { batch.areNeedsMet(self, request) }

  func services(of request: ExecutionRequest) -> UsedServices {
    needs?.run?.servicesOfOwner ?? UsedServices()
  }

  func joins(_ request: ExecutionRequest) -> Bool {
    batch.scheduler.runningRequests.contains {
      guard $0.queue === request.queue else { return false }
      // Texts that Unicode calls equal are different inputs.
      return ($0.requester as? BatchEntry)?.planned.entry.input.utf8
        .elementsEqual(planned.entry.input.utf8) == true
    }
  }

  func begins(_ request: ExecutionRequest) -> Bool {
    if let flaw {
      batch.fail(self, flaw)
      return false
    }
    let time = WallClock.seconds
    started = time
    startTime = EventLoop.now
    if let recordedAs { batch.log.begin(recordedAs, at: time) }
    return true
  }

  func input(of request: ExecutionRequest) throws(Failure) -> LuaValue {
    guard let command = request.queue.command else { return .nil }
    do throws(InputError) {
      return try batch.commands.input(of: planned.entry, for: command)
    } catch {
      throw Failure(.input, "\(error)")
    }
  }

  func started(_ request: ExecutionRequest, _ execution: Execution<LuaValue, LuaValue>) {
    guard let command = request.queue.command else { return }
    // Before the scheduler's own subscription, so that events precede their consequences.
    record = batch.stream.follow(
      execution, of: command, for: planned.entry, recordedAs: recordedAs)
  }

  func perform(_ request: ExecutionRequest) {
    let script = ScriptRun(self, request, batch)
    self.script = script
    batch.scripts.append(script)
    script.start()
  }

  func returned(_ request: ExecutionRequest) { started = nil }

  func cancel(_ request: ExecutionRequest) {
    if let script { script.cancel() } else { request.execution?.cancel() }
  }

  func ended(_ request: ExecutionRequest, _ failure: Failure?) {
    script = nil
    // After the entry is recorded: the batch may end with it.
    defer { batch.releaseNeeds(of: self, after: request.execution) }
    guard started != nil else {
      if let failure { batch.fail(self, failure) }
      return
    }
    batch.ended(self, request, failure)
  }
}

/// The state of what the command of entries needs: for all its entries alike, unless that differs
/// with the input, or a precondition is asked for each.
final class NeedsState {
  enum State {
    case unknown, underWay, met
    case failed(Failure)
  }

  var state = State.unknown
  /// True if it is that of one entry.
  let isOwn: Bool
  /// The run of what is needed, while it uses services.
  var run: PlanRun?

  init(isOwn: Bool) { self.isOwn = isOwn }

  /// Ends the use of its services.
  func release() {
    let ended = run
    run = nil
    ended?.cancel()
  }
}
