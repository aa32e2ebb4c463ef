import LuaRuntime
import Platform
import Reactive

/// A running Lua coroutine for one subscription: the values it emits, its waits, and its end.
/// Confined to the loop's thread.
final class CoroutineRun {
  /// The treatment of the function's result.
  enum ResultUse {
    /// A value is sent; a signal is sent as a value too.
    case value
    /// A signal is forwarded, any other value sent.
    case signalOrValue
    /// All results are passed to a function; a signal that it returns is forwarded.
    case all(([LuaValue]) -> Signal<LuaValue>?)
  }

  /// The mistakes of a function that fail its coroutine, or are warned of.
  enum Refusal {
    case none
    /// Signals that it makes and drops at once, of which it is only warned: a script may do so on purpose.
    case droppedSignals
    /// Signals that it makes and leaves unused, and a return of nil and a message.
    case mistakes
  }

  private unowned(unsafe) let host: ScriptHost
  private let observer: Observer<LuaValue>
  /// The parent of everything that the coroutine waits for.
  let subscription: CompoundDisposable
  private let resultUse: ResultUse
  /// The work that it belongs to.
  private let purpose: Purpose
  /// True if an observer of a command has started it.
  private let isObserverWork: Bool
  private var observerWork: ObserverWorkItem?
  /// The time at which its code is stopped.
  private let deadline: Duration?
  private var coroutine: LuaCoroutine?
  /// A running coroutine has no other owner.
  private var itself: CoroutineRun?
  private var isOfService = false
  private var isCancelled = false
  /// The current wait while it is suspended.
  private var wait: Wait?
  /// The mistakes of its function that fail it, or are warned of.
  private(set) var refusal = Refusal.none
  private var madeSignals: MadeSignals?
  /// The value of `rac.lazy` that it computes.
  weak var computed: LazyObject?

  init(
    _ host: ScriptHost, _ observer: Observer<LuaValue>, _ subscription: CompoundDisposable,
    resultUse: ResultUse
  ) {
    self.host = host
    self.observer = observer
    self.subscription = subscription
    self.resultUse = resultUse
    purpose = host.context.purpose
    isObserverWork = host.observerWork.isCurrent
    deadline = host.interpreter.deadline
  }

  /// Runs `function` until it waits or ends; disposal of the subscription ends it.
  ///
  /// - Parameter arguments: pushes the arguments and returns their number.
  func start(_ function: LuaValue, pushing arguments: @escaping (LuaStack) -> Int) {
    do {
      let coroutine = try LuaCoroutine(host.interpreter, function)
      self.coroutine = coroutine
      host.activeRuns += 1
      isOfService = purpose.isOfService
      if isOfService { host.runsOfServices += 1 }
      observerWork = host.observerWork.begin()
      itself = self
      let me = LoopBound(self)
      subscription.add { me.value.cancel() }
      guard !isCancelled else { return }
      advance { coroutine.resume(pushing: arguments) }
    } catch {
      observer.end(.error(error))
    }
  }

  /// Makes mistakes of the function failures.
  func refuse(_ mistakes: Refusal) { refusal = mistakes }

  /// Records a signal that the function makes and that does nothing until it is used.
  func makes(_ object: SignalObject) {
    let signals =
      madeSignals ?? MadeSignals(host, in: refusal == .mistakes ? .function : .script)
    madeSignals = signals
    signals.add(object)
  }

  /// Pushes the function through which the coroutine sends values.
  func pushEmit(on stack: LuaStack) {
    // Lua may keep the function for longer than the coroutine runs.
    stack.pushFunction { [weak self] call in
      self?.emit(call.value(at: 1))
      return .none
    }
  }

  /// Sends a value of the coroutine, if there is still a listener.
  func emit(_ value: LuaValue) {
    if case .reference(let reference) = value, reference.type == .userdata {
      _ = host.operand(value)
    }
    if !subscription.isDisposed { observer.next(value) }
  }

  /// Suspends the coroutine until `wait` finishes.
  func suspend(for wait: Wait) {
    self.wait = wait
  }

  /// Resumes with the result of the wait in a turn of its own: a wait that ends inside another
  /// script's call must not run this coroutine on top of it.
  func wake(_ result: Result<[LuaValue], any Error>) {
    let me = LoopBound(self)
    host.scheduler.enqueue { me.value.resume(result) }
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
    host.context.within(purpose, asObserver: isObserverWork) { goOn(resume) }
  }

  private func goOn(_ resume: () -> LuaCoroutine.Outcome) {
    switch host.context.with(\.run, self, resume) {
    case .yielded(_, byHost: true):
      // It was cancelled while it ran and could not be closed then.
      if isCancelled { close() }
    case .yielded(_, byHost: false):
      let place = SourceLocation(text: coroutine?.place)
      close()
      end(.error(place.failure("coroutine.yield outside a coroutine that the script resumes")))
    case .finished(let values):
      release()
      conclude(values)
    case .failed(let error):
      release()
      end(.error(error))
    }
  }

  /// Handles the function's return: what it returns is used only once it is known that no signal
  /// that it has made is lost.
  private func conclude(_ results: [LuaValue]) {
    if refusal == .mistakes, let failure = Self.failure(in: results) {
      return end(.error(failure))
    }
    guard refusal != .none, let madeSignals else { return finish(results) }
    // All other results are dropped, and so are signals among them.
    let result = Array(results.prefix(1))
    if let first = result.first { _ = host.operand(first) }
    if madeSignals.areAllUsed { return finish(result) }
    // In a turn of its own: a collection may call code of the script.
    let me = LoopBound(self)
    host.scheduler.enqueue(onLoop { me.value.conclude(result, madeSignals) })
  }

  /// The failure that a function returns as Lua's own functions do: nil and a message, as in
  /// `return os.remove(path)`. Those of `os.execute` tell how a program has ended.
  static func failure(in results: [LuaValue]) -> Failure? {
    guard results.count > 1, results[0].isNil, case .string(let message) = results[1] else {
      return nil
    }
    let number = results.count > 2 ? results[2].integerValue.flatMap { Int32(exactly: $0) } : nil
    var failure = Failure(.exit, "")
    switch (message.description, number) {
    case ("exit", let code?):
      failure.message = "the program exited with status \(code)"
      failure.code = code
    case ("signal", let signal?):
      failure.signal = signalName(signal)
      failure.message = "the program was ended by \(signalName(signal))"
    default: return Failure(.lua, message.description)
    }
    return failure
  }

  private func conclude(_ result: [LuaValue], _ signals: MadeSignals) {
    guard host.interpreter.isOpen else { return }
    host.context.within(purpose, asObserver: isObserverWork) {
      if let failure = signals.conclude() {
        guard refusal == .droppedSignals else { return end(.error(failure)) }
        host.log(.warn, failure.atPosition.message)
      }
      finish(result)
    }
  }

  private func finish(_ results: [LuaValue]) {
    guard !subscription.isDisposed else { return }
    if let deadline, deadline <= LuaInterpreter.now {
      return end(.error(purpose.execution?.lateness ?? Failure.late))
    }
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

  /// Runs the coroutine's `<close>` variables. Their failures can only be reported here.
  private func close() {
    let coroutine = coroutine
    wait?.subscription.dispose()
    release()
    host.context.with(\.isClosingCoroutine, true) {
      host.context.cleanUp(after: deadline) {
        if let error = coroutine?.close(), !error.isInterrupt { host.reportUnhandled(error) }
      }
    }
  }

  private func release() {
    coroutine = nil
    wait = nil
    if itself != nil {
      host.activeRuns -= 1
      if isOfService { host.runsOfServices -= 1 }
    }
    observerWork = nil
    itself = nil
  }
}
