import Commands

/// What a command should do, in the plainest words: arrays, no threads, no subjects.
struct ReferenceModel {
  struct Attempt {
    var state = ExecutionState.queued
    var hasSlot = false
    var isStarted = false
    var isEnding = false
    /// The end that the work's subject has been sent.
    var end: ExecutionState?
  }

  private enum Due {
    case line(String)
    case start(Int)
  }

  let setting: Setting
  var attempts: [Attempt] = []
  var policy: BusyPolicy
  var limit: Int
  var condition = true
  var queue: [Int] = []
  /// Executions whose slot is taken, in the order of admission.
  var slots: [Int] = []
  private var due: [Due] = []
  private var executing = false
  private var enabled = true
  /// Everything that observers see.
  var log: [String] = []

  init(_ setting: Setting) {
    self.setting = setting
    policy = setting.policy
    limit = setting.limit
  }

  // MARK: Rules

  var refusal: String? {
    if !condition { return "notEnabled" }
    if slots.count < limit && queue.isEmpty { return nil }
    switch policy {
    case .reject: return "notEnabled"
    case .queue(let limit): return queue.count < limit ? nil : "queueFull"
    case .restart, .join: return nil
    }
  }

  var active: [Int] { slots.filter { attempts[$0].state == .running } }

  private mutating func noteChanges() {
    if executing == slots.isEmpty {
      executing.toggle()
      due.append(.line("executing \(executing)"))
    }
    if enabled != (refusal == nil) {
      enabled.toggle()
      due.append(.line("enabled \(enabled)"))
    }
  }

  private mutating func admit(_ number: Int) {
    attempts[number].state = .running
    attempts[number].hasSlot = true
    slots.append(number)
    due.append(.line("execution \(number)"))
    noteChanges()
    due.append(.start(number))
  }

  private mutating func admitWaiting() {
    while condition, slots.count < limit, !queue.isEmpty { admit(queue.removeFirst()) }
    noteChanges()
  }

  private mutating func release(_ number: Int) {
    slots.removeAll { $0 == number }
    admitWaiting()
  }

  private mutating func end(_ number: Int, _ state: ExecutionState) {
    let wasQueued = attempts[number].state == .queued
    attempts[number].state = state
    queue.removeAll { $0 == number }
    let endsLate = setting.isSlow && attempts[number].isStarted
    if endsLate { log.append("ending \(number)") }
    attempts[number].isEnding = endsLate
    if state == .failed { due.append(.line("errors failure")) }
    switch state {
    case .completed: log.append("\(number) completed")
    case .cancelled: log.append("\(number) error cancelled")
    default: log.append("\(number) error failure")
    }
    if wasQueued { admitWaiting() } else if !endsLate { release(number) }
  }

  // MARK: Steps

  mutating func take(_ step: Step) {
    switch step {
    case .execute: execute()
    case .send(let number):
      guard attempts.indices.contains(number), attempts[number].end == nil else { return }
      if attempts[number].isStarted, attempts[number].state == .running {
        log.append("\(number) value")
      }
    case .complete(let number): endWork(number, .completed)
    case .fail(let number): endWork(number, .failed)
    case .cancel(let number):
      guard attempts.indices.contains(number), !attempts[number].state.isEnded else { return }
      end(number, .cancelled)
    case .endTeardown(let number):
      guard attempts.indices.contains(number), attempts[number].isEnding else { return }
      attempts[number].isEnding = false
      release(number)
    case .condition(let value):
      condition = value
      admitWaiting()
    case .limit(let value):
      limit = value
      admitWaiting()
    case .policy(let value):
      policy = value
      noteChanges()
    case .turn: turn()
    }
  }

  private mutating func execute() {
    let number = attempts.count
    attempts.append(Attempt())
    if let refusal {
      attempts[number].state = .failed
      due.append(.line("disabled \(refusal)"))
      log.append("\(number) error \(refusal)")
      return
    }
    if slots.count < limit && queue.isEmpty { return admit(number) }
    switch policy {
    case .join:
      if let other = queue.last ?? active.last {
        log.append("\(number) is \(other)")
        // It has no life of its own.
        attempts[number].state = .cancelled
        return
      }
      queue.append(number)
      noteChanges()
    case .restart:
      let preempted = active.first ?? queue.first
      queue.append(number)
      noteChanges()
      if let preempted { end(preempted, .cancelled) }
    case .queue, .reject:
      queue.append(number)
      noteChanges()
    }
  }

  private mutating func endWork(_ number: Int, _ state: ExecutionState) {
    guard attempts.indices.contains(number), attempts[number].end == nil else { return }
    attempts[number].end = state
    if attempts[number].isStarted, attempts[number].state == .running { end(number, state) }
  }

  private mutating func turn() {
    while !due.isEmpty {
      switch due.removeFirst() {
      case .line(let line): log.append(line)
      case .start(let number):
        guard attempts[number].state == .running else { continue }
        log.append("work \(number)")
        attempts[number].isStarted = true
        if let state = attempts[number].end { end(number, state) }
      }
    }
  }
}
