import Commands
import LuaRuntime
import Platform
import Reactive

/// A script's functions that receive the events of a signal, and their subscription, which holds the
/// source's teardown. It keeps the functions, and the host keeps it, while the subscription is active.
final class ScriptSubscriber: CompoundDisposable, @unchecked Sendable {
  // Unchecked: signals reach what it adds by `next` and `endSource`, which check the thread; all other
  // code has it from the host, which belongs to that thread.

  private unowned(unsafe) let host: ScriptHost
  // What the host keeps for its whole life, so that the path of values counts no references.
  private let interpreter: Unmanaged<LuaInterpreter>
  private let observerWork: Unmanaged<ObserverWork>
  private let thread = LoopThread()
  /// The function for values, if no operator precedes it.
  private var sink: LuaKept?
  /// The pipeline that ends in the function for values.
  private let pipeline: LuaPipeline?
  /// What flattens in the pipeline, if something does.
  private let flatMapping: FlatMapping?
  private var error: LuaReference?
  private var completed: LuaReference?
  @exclusivity(unchecked) private var isOver = false
  /// True if an observer of a command has subscribed, so that the functions' work is the
  /// observer's.
  private let isObserverWork: Bool
  /// The work that subscribes, which the functions belong to whoever sends the values.
  private let purpose: Purpose
  /// The subscribers with which it shares a place in a subject, and its place among them.
  private var row: (SharedSubscription, place: Int)?
  /// True if it receives events of a command.
  var observesCommand = false
  /// True if all that it receives makes its functions observers, because the source is a signal of a
  /// command and has sent what it had at the start.
  private var receivesNews = false
  /// The source, if it is an execution.
  private var execution: ScriptExecution?
  /// True if it takes the values of the execution.
  private var isTaker = false
  /// The place of the subscription in the script, and the name of the signal, where the host notes
  /// them.
  var place: String?
  var signalName: String?
  /// Its index among the host's subscribers, and its only identity there.
  private(set) var slot = -1
  private var isShared = false

  init(
    _ host: ScriptHost, sink: LuaKept?, _ pipeline: LuaPipeline?,
    _ flatMapping: FlatMapping? = nil, error: LuaReference?, completed: LuaReference?
  ) {
    self.host = host
    interpreter = .passUnretained(host.interpreter)
    let work = host.context.observerWork
    observerWork = .passUnretained(work)
    self.sink = sink
    self.pipeline = pipeline
    self.flatMapping = flatMapping
    self.error = error
    self.completed = completed
    isObserverWork = work.isCurrent
    purpose = host.context.purpose
    super.init()
    host.activeSubscriptions += 1
    slot = host.subscribers.insert(self)
    flatMapping?.subscriber = self
    if host.subscriptions.isDisposed { stop() }
  }

  private var isStopped: Bool { isOver || isDisposed }

  /// The function that receives values, behind the operators.
  private var function: LuaKept? { sink ?? pipeline?.function }

  /// The subscription for other code, which may dispose it.
  var shared: CompoundDisposable {
    if !isShared {
      isShared = true
      add(onLoop(stop))
    }
    return self
  }

  /// Subscribes to the source of the functions' events.
  func observe(_ source: Signal<LuaValue>) {
    if let subject = source as? SubjectSignal, let function, !subject.isReplaying, purpose.isNone {
      if !isStopped { subject.observe(self, function) }
    } else if let events = source as? CommandEvents {
      host.context.with(\.subscriber, self) {
        if let executions = events as? CommandExecutions, flatMapping == nil {
          receivesNews = executions.observe(
            executions: Observer(next: { self.next($0.script) }, end: { self.endSource($0) }),
            in: self)
        } else {
          receivesNews = events.observe(observer, in: self)
        }
      }
    } else if let range = source as? IntegerRangeSignal, let pipeline, pipeline.takesRanges {
      host.context.with(\.subscriber, self) { receive(range, by: pipeline) }
    } else {
      host.context.with(\.subscriber, self) { source.observe(observer, in: self) }
    }
  }

  /// Subscribes to an execution as scripts see it.
  func observe(execution script: ScriptExecution) {
    if function == nil {
      host.showUntakenOutput(of: script)
    } else if !isStopped {
      script.takers += 1
      script.wasTaken = true
      isTaker = true
    }
    if !isStopped {
      execution = script
      script.isFollowed()
    }
    let observer =
      function == nil
      ? Observer(next: { _ in }, batch: { _ in }, end: { self.endSource($0) }) : observer
    host.context.with(\.subscriber, self) { script.observe(observer, in: self) }
  }

  /// The closures hold one reference each and so need no objects of their own.
  private var observer: Observer<LuaValue> {
    guard function != nil else { return host.dropping { self.endSource($0) } }
    return Observer(next: { self.next($0) }, end: { self.endSource($0) })
  }

  /// Subscribes to the values that enter the pipeline behind the operator that flattens.
  func observe(inner signal: Signal<LuaValue>) {
    let me = LoopBound(self)
    signal.observe(
      Observer(next: { me.value.nextInner($0) }, end: { me.value.end($0) }), in: self)
  }

  private func next(_ value: LuaValue) {
    check()
    guard let function else { return }
    send(to: function, asObserver: isObserverWork || receivesNews) { $0.push(value) }
  }

  private func next(_ execution: ScriptExecution) {
    check()
    guard let function else { return }
    send(to: function, asObserver: isObserverWork || receivesNews) { stack in
      host.push(execution, on: stack)
    }
  }

  private func nextInner(_ value: LuaValue) {
    if let tail = pipeline?.tail {
      send(to: tail.function, asObserver: isObserverWork) { $0.push(value) }
    }
  }

  private func check() {
    precondition(thread.isCurrent, "a script's functions are called on another thread")
  }

  @inline(__always)
  private func send(
    to function: LuaKept, asObserver isObserver: Bool, _ push: (LuaStack) -> Void
  ) {
    guard !isStopped else { return }
    let error = interpreter._withUnsafeGuaranteedRef { interpreter -> LuaError? in
      guard isObserver || !purpose.isNone else { return interpreter.feed(function, push) }
      return asOwnWork(asObserver: isObserver) { interpreter.feed(function, push) }
    }
    if let error { end(.error(error)) }
  }

  /// Runs `body` as part of the work that has subscribed. A subscriber to events of a command that
  /// belongs to no execution does not become part of the one that it observes; other subscribers
  /// without work join the sender's.
  private func asOwnWork<Result>(
    asObserver isObserver: Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    try observerWork._withUnsafeGuaranteedRef { work in
      try work.within(isObserver || work.isCurrent) {
        guard observesCommand || !purpose.isNone else { return try body() }
        return try host.context.serving(purpose, body)
      }
    }
  }

  /// Receives the integers of a range inside Lua, in pieces, between which an interrupt is noticed and
  /// the clock of a time limit starts anew.
  private func receive(_ range: IntegerRangeSignal, by pipeline: LuaPipeline) {
    for piece in range.pieces {
      guard !isStopped else { return }
      guard !host.interpreter.isInterrupted else { return end(.error(host.interruption)) }
      do {
        try host.observerWork.within(isObserverWork || host.observerWork.isCurrent) {
          try host.interpreter.feed(
            pipeline, from: piece.first, through: piece.last, by: range.step)
        }
      } catch { return end(.error(error)) }
    }
    endSource(.completed)
  }

  /// Receives the end of the source, which other signals may outlive.
  func endSource(_ termination: Termination) {
    check()
    if isStopped || flatMapping?.end(termination) == true { return }
    end(execution?.ofScript(termination) ?? termination)
  }

  func end(_ termination: Termination) {
    guard !isStopped else { return }
    // The functions outlive the subscription by this one call.
    let (error, completed) = (error, completed)
    stop()
    switch termination {
    case .completed:
      if let completed { call(completed) }
    case .error(let failure):
      guard let error else { return host.reportUnhandled(failure) }
      call(error, host.luaValue(of: failure))
    }
  }

  private func call(_ function: LuaReference, _ arguments: LuaValue...) {
    do {
      try asOwnWork(asObserver: isObserverWork) {
        _ = try host.interpreter.call(.reference(function), arguments, results: 0)
      }
    } catch {
      host.reportUnhandled(error)
    }
  }

  /// Makes it part of a shared subscription.
  func take(_ place: Int, in row: SharedSubscription) { self.row = (row, place) }

  /// Ends the subscription and drops the functions.
  func stop() {
    guard !isOver else { return }
    isOver = true
    let host = host
    host.activeSubscriptions -= 1
    _ = host.subscribers.remove(at: slot)
    pipeline?.stop()
    flatMapping?.dispose()
    if isTaker { execution?.takers -= 1 }
    execution?.isLeft()
    (error, completed, execution) = (nil, nil, nil)
    if let (row, place) = row.take() { row.remove(at: place) }
    if let sink = sink.take() { interpreter._withUnsafeGuaranteedRef { $0.release(sink) } }
    dispose()
  }
}

extension ScriptHost {
  /// Makes the object of a script's subscription, whose userdata holds the subscriber's slot, on
  /// demand: a script that drops it leaves nothing to finalise.
  func disposableObject(_ stack: LuaStack, at index: Int) -> DisposableObject {
    stack.getUserValue(1, at: index)
    defer { stack.pop() }
    let subscriber = stack.integer(at: -1).flatMap { subscribers[Int($0)] }
    if let subscriber { return DisposableObject(subscriber.shared) }
    let ended = CompoundDisposable()
    ended.dispose()
    return DisposableObject(ended)
  }

  /// Disposes all current subscribers except those to command events.
  func disposeUnobserving() {
    for subscriber in subscribers.entries where !subscriber.observesCommand {
      subscriber.stop()
    }
  }

  /// Disposes all current subscribers, in the order of subscription.
  func disposeSubscribers() {
    var ended: [ScriptSubscriber] = []
    subscribers.removeAll(reversedInto: &ended)
    while let subscriber = ended.popLast() { subscriber.stop() }
  }
}
