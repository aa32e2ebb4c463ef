import EventLoop
import Journal
import Platform
import RunnerCore
import Scripting

/// Records the executions of a panel in a journal, in the background, and gives them its numbers, so
/// that an execution has one number on the page, in the API and in `history`. A failure to record is
/// reported once, and the panel goes on without it. On the loop's thread.
final class PressRecorder {
  /// How many numbers are reserved at first; each further time twice as many.
  private static let firstNumbers = 64
  /// The longest input that is recorded.
  fileprivate static let longestInput = 256 << 10
  /// How many executions are kept in the journal, and after how many ends older ones are dropped.
  private static let mostExecutions = 10_000
  private static let dropPeriod = 1_000
  /// The most time that passes before the output of a running execution is recorded.
  private static let notePeriod = Duration.seconds(1)

  private let journal: Journal
  private let log: JournalLog
  private let loop: EventLoop
  /// How many executions keep their outputs.
  private let keep: Int
  /// Called with the first failure.
  private let onFailure: (JournalError) -> Void
  /// Reserved numbers that no execution has: those that follow, and the next ones.
  private var numbers: Range<Int64>
  private var next: Range<Int64>?
  private var isReserving = false
  private var reserved = PressRecorder.firstNumbers
  private var hasBegun = false
  /// True once a record could not be written, or the panel has ended.
  private var isOff = false
  /// The executions that are recorded and have not ended.
  private var open: [Int: Open] = [:]
  /// Those of them with output that is not recorded.
  private var changed: [PanelExecution] = []
  private var noteTimer: Timer?
  private var endCount = 0

  private struct Open {
    let execution: PanelExecution
    var hasStarted = false
  }

  /// - Throws: `JournalError` if the journal cannot be written to.
  init(
    _ journal: Journal, keep: Int, _ loop: EventLoop,
    onFailure: @escaping (JournalError) -> Void
  ) throws(JournalError) {
    self.journal = journal
    self.keep = keep
    self.loop = loop
    self.onFailure = onFailure
    numbers = try journal.reserve(Self.firstNumbers)
    let failing = Once<(JournalError) -> Void>()
    log = JournalLog(journal) { error in loop.enqueue { failing.value?(error) } }
    failing.value = { [weak self] in self?.fail($0) }
  }

  private func fail(_ error: JournalError) {
    guard !isOff else { return }
    turnOff()
    onFailure(error)
  }

  private func turnOff() {
    isOff = true
    open = [:]
    changed = []
    noteTimer?.cancel()
    // Nobody else sees the numbers of executions that are not recorded.
    numbers = numbers.lowerBound..<Int64.max
  }

  // MARK: Numbers

  /// The number of the next execution.
  func takeNumber() -> Int {
    if numbers.isEmpty, let next {
      numbers = next
      self.next = nil
    }
    if numbers.isEmpty {
      // There were more presses than the writer could follow: this one waits for it.
      do throws(JournalError) { numbers = try journal.reserve(reserved) } catch { fail(error) }
    }
    let number = numbers.lowerBound
    numbers = number + 1..<numbers.upperBound
    if numbers.count < reserved / 2, next == nil { reserve() }
    return Int(number)
  }

  private func reserve() {
    guard !isReserving, !isOff else { return }
    isReserving = true
    reserved *= 2
    let took = onLoop { [weak self] (numbers: Range<Int64>) in
      guard let self else { return }
      isReserving = false
      // Those that were taken meanwhile are higher: numbers never go back.
      if numbers.lowerBound >= self.numbers.lowerBound { next = numbers }
    }
    log.perform { [reserved, loop] journal throws(JournalError) in
      let numbers = try journal.reserve(reserved)
      loop.enqueue { took(numbers) }
    }
  }

  // MARK: Executions

  /// Records what an execution that pages know of has become.
  func update(_ execution: PanelExecution) {
    // A hub has a history of its own.
    guard !isOff, execution.hub == nil else { return }
    if open[execution.id] == nil {
      // What comes behind the end is not recorded.
      guard !execution.isOver || !execution.isRecorded else { return }
      execution.isRecorded = true
      begin()
      open[execution.id] = Open(execution: execution)
      log.record(
        ReservedExecution(
          execution: Int64(execution.id), entry: execution.entry, claimed: execution.created))
    }
    if execution.isOver { return end(execution) }
    if let started = execution.started, open[execution.id]?.hasStarted == false {
      open[execution.id]?.hasStarted = true
      log.begin(Int64(execution.id), at: started)
    }
  }

  /// Forgets an execution that has become part of another one.
  func remove(_ execution: PanelExecution) {
    guard open.removeValue(forKey: execution.id) != nil else { return }
    log.record([], releases: [Int64(execution.id)])
  }

  private func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    let folder = currentFolder() ?? "."
    log.perform { [keep] journal throws(JournalError) in
      try journal.dropPresses(keepingOutputs: keep, executions: Self.mostExecutions)
      try journal.beginPanel(in: folder)
    }
  }

  private func end(_ execution: PanelExecution) {
    guard open.removeValue(forKey: execution.id) != nil else { return }
    log.record([execution.recordedEnd(as: execution.state)], releases: [])
    endCount += 1
    guard endCount % Self.dropPeriod == 0 else { return }
    log.perform { [keep] journal throws(JournalError) in
      try journal.dropPresses(keepingOutputs: keep, executions: Self.mostExecutions)
    }
  }

  // MARK: Output

  /// Notes that a running execution has output that is not recorded yet.
  func outputHasCome(to execution: PanelExecution) {
    guard !execution.hasUnrecordedOutput, !isOff else { return }
    execution.hasUnrecordedOutput = true
    changed.append(execution)
    guard noteTimer == nil else { return }
    noteTimer = loop.timer(after: Self.notePeriod) { [weak self] in self?.noteOutputs() }
    noteTimer?.unref()
  }

  private func noteOutputs() {
    noteTimer = nil
    let executions = changed
    changed = []
    var outputs: [Int64: [RecordedLine]] = [:]
    for execution in executions {
      execution.hasUnrecordedOutput = false
      guard open[execution.id] != nil else { continue }
      outputs[Int64(execution.id)] = execution.recordedOutput
    }
    guard !outputs.isEmpty else { return }
    log.note { $0.outputs.merge(outputs) { $1 } }
  }

  // MARK: The end

  /// Records all that is left, and closes the journal. Executions that have not ended are cancelled.
  func finish() {
    if !isOff {
      log.record(open.values.map { $0.execution.recordedEnd(as: .cancelled) }, releases: [])
      log.wait()
      do throws(JournalError) {
        if hasBegun { try journal.finish(status: Int(ExitStatus.success)) }
        if let next { try journal.giveBack(next) }
        try journal.giveBack(numbers)
      } catch { fail(error) }
      turnOff()
    }
    journal.close()
  }
}

extension PanelExecution {
  fileprivate var entry: PlanEntry {
    var text = ""
    if let input, input.utf8.count <= PressRecorder.longestInput,
      let value = JSONValue(text: Secrets.masked(json: input))
    {
      text = value.canonical.text
    }
    // A press is no entry of a plan: it is neither resumed nor skipped because of earlier records.
    var entry = PlanEntry(
      key: EntryKey("panel", "\(id)"), kind: .command, command: command, input: text,
      plan: Journal.panelPlan, line: request?.id ?? id)
    entry.requester = by?.rawValue
    return entry
  }

  fileprivate func recordedEnd(as state: State) -> ExecutionEnd {
    let failure = failure?.masked
    return ExecutionEnd(
      execution: Int64(id), state: RecordedState(state), started: started,
      duration: started.map { max(0, (ended ?? WallClock.seconds) - $0) } ?? 0,
      attempts: isUpToDate ? 0 : attempt, code: failure?.code.map { Int($0) },
      errorKind: failure?.kind.rawValue, error: failure?.text, output: recordedOutput)
  }

  fileprivate var recordedOutput: [RecordedLine] {
    RecordedOutput(output, since: started ?? created).lines
  }
}

extension RecordedState {
  fileprivate init(_ state: PanelExecution.State) {
    switch state {
    case .waiting, .queued, .running, .cancelling: self = .running
    case .completed: self = .completed
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}
