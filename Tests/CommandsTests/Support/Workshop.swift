import Commands
import Reactive
import ReactiveTesting
import Synchronization

/// A scheduler in virtual time, and commands whose work is done by hand.
///
/// An input is the number of the subject that its execution waits for.
final class Workshop: Sendable {
  private struct State {
    var works: [Int: Subject<String>] = [:]
    var calls: [Int] = []
    var disposed: [Int] = []
    var teardowns: [Int: @Sendable () -> Void] = [:]
  }

  let scheduler = TestScheduler()
  let journal = Journal()
  private let state = Mutex(State())

  /// The inputs with which signal blocks were called.
  var calls: [Int] { state.withLock { $0.calls } }

  /// The inputs whose work was disposed or has ended.
  var disposed: [Int] { state.withLock { $0.disposed } }

  func work(_ input: Int) -> Subject<String> {
    state.withLock { state in
      let work = state.works[input] ?? Subject()
      state.works[input] = work
      return work
    }
  }

  func drop(_ input: Int) {
    _ = state.withLock { $0.works.removeValue(forKey: input) }
  }

  /// A signal of the subject of an input that notes its subscription and disposal.
  func signal(_ input: Int) -> Signal<String> {
    let work = Signal<String>(work(input))
    return Signal { observer, subscription in
      self.journal.note("work \(input)")
      subscription.add { self.state.withLock { $0.disposed.append(input) } }
      work.observe(observer, in: subscription)
    }
  }

  func command(
    enabled: Signal<Bool>? = nil, limit: ConcurrencyLimit = .serial,
    whenBusy: BusyPolicy = .reject, replayCapacity: Int? = nil,
    options: ExecutionOptions = ExecutionOptions()
  ) -> Command<Int, String> {
    Command(
      name: "bench", enabled: enabled, scheduler: scheduler, concurrencyLimit: limit,
      whenBusy: whenBusy, replayCapacity: replayCapacity, options: options
    ) { input in
      self.state.withLock { $0.calls.append(input) }
      return self.signal(input)
    }
  }

  /// A command whose work takes time to end: until `finishTeardown`.
  func slowCommand(
    limit: ConcurrencyLimit = .serial, whenBusy: BusyPolicy = .reject,
    options: ExecutionOptions = ExecutionOptions()
  ) -> Command<Int, String> {
    Command(
      scheduler: scheduler, concurrencyLimit: limit, whenBusy: whenBusy, options: options
    ) { self.slowSignal($0) }
  }

  func slowSignal(_ input: Int) -> Signal<String> {
    let work = Signal<String>(work(input))
    return Signal { observer, subscription in
      self.journal.note("work \(input)")
      subscription.addAsync { done in
        self.journal.note("ending \(input)")
        self.state.withLock { $0.teardowns[input] = done }
      }
      work.observe(observer, in: subscription)
    }
  }

  func finishTeardown(_ input: Int) {
    state.withLock { $0.teardowns.removeValue(forKey: input) }?()
  }

  func advance(by duration: Duration = .zero) {
    scheduler.advance(by: duration)
  }
}
