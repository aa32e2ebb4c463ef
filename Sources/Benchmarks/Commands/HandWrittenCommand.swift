import Synchronization

/// The floor of a command: what somebody would write who needs one serial command of integers, with
/// executions that can be observed late, watched, and cancelled, and nothing general.
final class HandWrittenCommand: Sendable {
  typealias Work =
    @Sendable (
      _ input: Int, _ next: @escaping @Sendable (Int) -> Void,
      _ end: @escaping @Sendable ((any Error)?) -> Void
    ) -> (@Sendable () -> Void)?

  /// One execution, with what it has sent.
  final class Execution: Sendable {
    enum Phase {
      case running
      case ended((any Error)?)
    }

    struct Subscriber {
      let number: Int
      let next: @Sendable (Int) -> Void
      let end: @Sendable ((any Error)?) -> Void
    }

    private struct State {
      var phase = Phase.running
      var values: [Int] = []
      var subscribers: [Subscriber] = []
      var count = 0
      var teardown: (@Sendable () -> Void)?
    }

    private static let lastID = Atomic<Int>(0)

    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let input: Int
    private let state = Mutex(State())

    init(_ input: Int) {
      self.input = input
    }

    /// Returns what takes the subscriber away again.
    func subscribe(
      next: @escaping @Sendable (Int) -> Void, end: @escaping @Sendable ((any Error)?) -> Void
    ) -> @Sendable () -> Void {
      let (number, missed, phase) = state.withLock { state in
        state.count += 1
        state.subscribers.append(Subscriber(number: state.count, next: next, end: end))
        return (state.count, state.values, state.phase)
      }
      for value in missed { next(value) }
      if case .ended(let error) = phase { end(error) }
      return { self.state.withLock { $0.subscribers.removeAll { $0.number == number } } }
    }

    func send(_ value: Int) {
      let subscribers = state.withLock { state in
        state.values.append(value)
        return state.subscribers
      }
      for subscriber in subscribers { subscriber.next(value) }
    }

    func keep(_ teardown: (@Sendable () -> Void)?) {
      state.withLock { $0.teardown = teardown }
    }

    /// False if it has ended before.
    func end(_ error: (any Error)?) -> Bool {
      let (subscribers, teardown) = state.withLock { state in
        defer {
          state.subscribers = []
          state.teardown = nil
        }
        guard case .running = state.phase else { return ([Subscriber]?.none, state.teardown) }
        state.phase = .ended(error)
        return (state.subscribers, state.teardown)
      }
      guard let subscribers else { return false }
      teardown?()
      for subscriber in subscribers { subscriber.end(error) }
      return true
    }
  }

  private struct State {
    var running: Execution?
    var executing = false
    var enabled = true
    var executionObservers: [@Sendable (Execution) -> Void] = []
    var executingObservers: [@Sendable (Bool) -> Void] = []
    var enabledObservers: [@Sendable (Bool) -> Void] = []
    var errorObservers: [@Sendable (any Error) -> Void] = []
  }

  private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let work: Work
  private let state = Mutex(State())

  /// - Parameter enqueue: the hop onto the main loop.
  init(
    enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, work: @escaping Work
  ) {
    self.enqueue = enqueue
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
    enqueue { self.start(execution) }
    return execution
  }

  func cancel(_ execution: Execution, _ error: any Error) {
    if execution.end(error) { settle() }
  }

  private func start(_ execution: Execution) {
    for observer in state.withLock({ $0.executionObservers }) { observer(execution) }
    publish(true)
    execution.keep(work(execution.input, { execution.send($0) }, { self.end(execution, $0) }))
  }

  private func end(_ execution: Execution, _ error: (any Error)?) {
    guard execution.end(error) else { return }
    if let error { for observer in state.withLock({ $0.errorObservers }) { observer(error) } }
    settle()
  }

  private func settle() {
    state.withLock { $0.running = nil }
    publish(false)
  }

  private func publish(_ executing: Bool) {
    let (executingObservers, enabledObservers) = state.withLock { state in
      state.executing = executing
      state.enabled = !executing
      return (state.executingObservers, state.enabledObservers)
    }
    for observer in executingObservers { observer(executing) }
    for observer in enabledObservers { observer(!executing) }
  }
}
