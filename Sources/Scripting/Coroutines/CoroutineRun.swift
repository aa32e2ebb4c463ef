import LuaRuntime
import Reactive

/// A Lua coroutine at work for one subscription: the values it emits, what it waits for, and its end.
/// On the loop's thread.
final class CoroutineRun: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  /// What becomes of the function's result.
  enum ResultUse: Sendable {
    /// A value is sent, a signal as a value too.
    case value
    /// A signal is forwarded, anything else sent.
    case signalOrValue
    /// All results go to a function; a signal that it returns is forwarded.
    case all(@Sendable ([LuaValue]) -> Signal<LuaValue>?)
  }

  private unowned(unsafe) let host: ScriptHost
  private let observer: Observer<LuaValue>
  /// Everything the coroutine waits for hangs on it.
  let subscription: CompoundDisposable
  private let resultUse: ResultUse
  /// The execution that it works for.
  private let execution: ScriptExecution?
  /// Whether an observer of a command has started it.
  private let isObserverWork: Bool
  private var observerWork: ObserverWorkItem?
  /// When its code is stopped.
  private let deadline: Duration?
  private var coroutine: LuaCoroutine?
  /// A coroutine at work belongs to nobody else.
  private var itself: CoroutineRun?
  private var isCancelled = false
  /// What it waits for, while it is suspended.
  private var wait: Wait?
  /// Whether signals that it makes and nobody uses are looked for.
  private(set) var findsUnused = false
  private var madeSignals: MadeSignals?

  init(
    _ host: ScriptHost, _ observer: Observer<LuaValue>, _ subscription: CompoundDisposable,
    resultUse: ResultUse
  ) {
    self.host = host
    self.observer = observer
    self.subscription = subscription
    self.resultUse = resultUse
    execution = host.currentExecution
    isObserverWork = host.observerWork.isCurrent
    deadline = host.interpreter.deadline
  }

  /// Runs `function` until it waits or ends; the subscription's disposal ends it.
  ///
  /// - Parameter arguments: pushes the arguments and returns how many.
  func start(_ function: LuaValue, pushing arguments: @escaping (LuaStack) -> Int) {
    do {
      let coroutine = try LuaCoroutine(host.interpreter, function)
      self.coroutine = coroutine
      host.activeRuns += 1
      observerWork = host.observerWork.begin()
      itself = self
      subscription.add { self.cancel() }
      guard !isCancelled else { return }
      advance { coroutine.resume(pushing: arguments) }
    } catch {
      observer.end(.error(error))
    }
  }

  /// Warns of signals that the function makes and nobody uses.
  func findUnusedSignals() { findsUnused = true }

  /// The function makes a signal that does nothing until it is used.
  func makes(_ object: SignalObject) {
    let signals = madeSignals ?? MadeSignals(host)
    madeSignals = signals
    signals.add(object)
  }

  /// Pushes the function by which the coroutine sends values.
  func pushEmit(on stack: LuaStack) {
    // Lua may keep the function for longer than the coroutine runs.
    stack.pushFunction { [weak self] call in
      self?.emit(call.value(at: 1))
      return .none
    }
  }

  /// Sends a value of the coroutine, if somebody still listens.
  func emit(_ value: LuaValue) {
    if case .reference(let reference) = value, reference.type == .userdata {
      _ = host.operand(value)
    }
    if !subscription.isDisposed { observer.next(value) }
  }

  /// The coroutine is suspended until `wait` finishes.
  func suspend(for wait: Wait) {
    self.wait = wait
  }

  /// Goes on with the result of what was waited for, in a turn of its own: a wait that ends inside
  /// another script's call must not run this one on top of it.
  func wake(_ result: Result<[LuaValue], any Error>) {
    host.scheduler.enqueue { self.resume(result) }
  }

  private func resume(_ result: Result<[LuaValue], any Error>) {
    guard let coroutine, !isCancelled else { return }
    wait = nil
    advance {
      switch result {
      case .success(let values): coroutine.resume(values)
      case .failure(let error): coroutine.resume(throwing: host.raisable(error))
      }
    }
  }

  private func advance(_ resume: () -> LuaCoroutine.Outcome) {
    host.within(execution, asObserver: isObserverWork) { goOn(resume) }
  }

  private func goOn(_ resume: () -> LuaCoroutine.Outcome) {
    let outer = host.currentRun
    host.currentRun = self
    let outcome = resume()
    host.currentRun = outer
    switch outcome {
    case .yielded(_, byHost: true):
      // Cancelled while it ran: it could not be closed then.
      if isCancelled { close() }
    case .yielded(_, byHost: false):
      let place = SourceLocation(text: coroutine?.place)
      close()
      end(.error(place.failure("coroutine.yield outside a coroutine that the script resumes")))
    case .finished(let values):
      release()
      finish(values)
      madeSignals?.finish()
    case .failed(let error):
      release()
      end(.error(error))
    }
  }

  private func finish(_ results: [LuaValue]) {
    guard !subscription.isDisposed else { return }
    let result = results.first ?? .nil
    let signal: Signal<LuaValue>?
    switch resultUse {
    case .value: signal = nil
    case .signalOrValue: signal = host.signal(from: result)
    case .all(let take):
      guard let signal = take(results) else { return end(.completed) }
      return signal.observe(observer, in: subscription)
    }
    if let signal { return signal.observe(observer, in: subscription) }
    if !result.isNil { observer.next(result) }
    end(.completed)
  }

  private func end(_ termination: Termination) {
    if !subscription.isDisposed { observer.end(termination) }
  }

  private func cancel() {
    guard coroutine != nil, !isCancelled else { return }
    isCancelled = true
    if coroutine?.state == .suspended { close() }
  }

  /// Runs the coroutine's `<close>` variables; what fails in them nobody else can tell.
  private func close() {
    let coroutine = coroutine
    wait?.subscription.dispose()
    release()
    let outer = host.isClosingCoroutine
    host.isClosingCoroutine = true
    defer { host.isClosingCoroutine = outer }
    host.cleanUp(after: deadline) {
      if let error = coroutine?.close(), !error.isInterrupt { host.reportUnhandled(error) }
    }
  }

  private func release() {
    coroutine = nil
    wait = nil
    if itself != nil { host.activeRuns -= 1 }
    observerWork = nil
    itself = nil
  }
}
