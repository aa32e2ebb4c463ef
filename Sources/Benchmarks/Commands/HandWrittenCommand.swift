import Synchronization

/// The floor of a command: what somebody would write who needs just one serial command with a record
/// for late subscribers, and nothing general.
final class HandWrittenCommand: Sendable {
  typealias Work = @Sendable (
    _ input: Int, _ next: @Sendable (Int) -> Void, _ end: @Sendable ((any Error)?) -> Void
  ) -> Void

  /// One execution, with what it has sent.
  final class Execution: Sendable {
    private struct State {
      var values: [Int] = []
      var subscribers: [@Sendable (Int) -> Void] = []
      var hasEnded = false
      var error: (any Error)?
    }

    private let state = Mutex(State())
    let input: Int

    init(_ input: Int) {
      self.input = input
    }

    func subscribe(_ next: @escaping @Sendable (Int) -> Void) {
      let missed = state.withLock { state in
        state.subscribers.append(next)
        return state.values
      }
      for value in missed { next(value) }
    }

    func send(_ value: Int) {
      let subscribers = state.withLock { state in
        state.values.append(value)
        return state.subscribers
      }
      for subscriber in subscribers { subscriber(value) }
    }

    func end(_ error: (any Error)?) {
      // The subscribers are released after the lock.
      _ = state.withLock { state in
        state.hasEnded = true
        state.error = error
        defer { state.subscribers = [] }
        return state.subscribers
      }
    }
  }

  private struct State {
    var running: Execution?
    var executing = false
    var executionObservers: [@Sendable (Execution) -> Void] = []
    var executingObservers: [@Sendable (Bool) -> Void] = []
    var errorObservers: [@Sendable (any Error) -> Void] = []
  }

  private let loop: ManualLoop
  private let work: Work
  private let state = Mutex(State())

  init(loop: ManualLoop, work: @escaping Work) {
    self.loop = loop
    self.work = work
  }

  func observeExecutions(_ observer: @escaping @Sendable (Execution) -> Void) {
    state.withLock { $0.executionObservers.append(observer) }
  }

  func observeExecuting(_ observer: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.executingObservers.append(observer) }
  }

  func observeErrors(_ observer: @escaping @Sendable (any Error) -> Void) {
    state.withLock { $0.errorObservers.append(observer) }
  }

  func execute(_ input: Int) -> Execution? {
    let execution = Execution(input)
    let isAdmitted = state.withLock { state in
      guard state.running == nil else { return false }
      state.running = execution
      return true
    }
    guard isAdmitted else { return nil }
    loop.enqueue { self.start(execution) }
    return execution
  }

  private func start(_ execution: Execution) {
    for observer in state.withLock({ $0.executionObservers }) { observer(execution) }
    publish(true)
    work(execution.input, { execution.send($0) }, { self.end(execution, $0) })
  }

  private func end(_ execution: Execution, _ error: (any Error)?) {
    state.withLock { $0.running = nil }
    execution.end(error)
    if let error { for observer in state.withLock({ $0.errorObservers }) { observer(error) } }
    publish(false)
  }

  private func publish(_ executing: Bool) {
    let observers = state.withLock { state in
      state.executing = executing
      return state.executingObservers
    }
    for observer in observers { observer(executing) }
  }
}
