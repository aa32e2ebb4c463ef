import LuaRuntime
import Platform
import Reactive

/// A script's functions that receive the events of a signal. It keeps the functions, and the host
/// keeps it, while the subscription is active.
final class ScriptSubscriber {
  private unowned(unsafe) let host: ScriptHost
  /// Holds the source's teardown.
  private let subscription = CompoundDisposable()
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
  /// The subscribers with which it shares a place in a subject, and its place among them.
  private var row: (SharedSubscription, place: Int)?
  /// True if it receives events of a command.
  var observesCommand = false
  /// The place of the subscription in the script, and the name of the signal, where the host notes
  /// them.
  var place: String?
  var signalName: String?
  /// Its index among the host's subscribers, and its only identity there.
  private(set) var slot = -1
  private var isShared = false

  init(
    _ host: ScriptHost, _ pipeline: LuaPipeline?, _ flatMapping: FlatMapping? = nil,
    error: LuaReference?, completed: LuaReference?
  ) {
    self.host = host
    self.pipeline = pipeline
    self.flatMapping = flatMapping
    self.error = error
    self.completed = completed
    isObserverWork = host.observerWork.isCurrent
    host.activeSubscriptions += 1
    slot = host.subscribers.insert(self)
    flatMapping?.subscriber = self
    if host.subscriptions.isDisposed { dispose() }
  }

  var isDisposed: Bool { isOver || subscription.isDisposed }

  /// The subscription for other code, which may dispose it.
  var shared: CompoundDisposable {
    if !isShared {
      isShared = true
      subscription.add(onLoop(dispose))
    }
    return subscription
  }

  /// Subscribes to the source of the functions' events.
  func observe(_ source: Signal<LuaValue>) {
    if let subject = source as? SubjectSignal, let pipeline, !subject.isReplaying {
      if !isDisposed { subject.observe(self, pipeline) }
    } else if let range = source as? IntegerRangeSignal, let pipeline, pipeline.takesRanges {
      host.context.with(\.subscriber, self) { receive(range, by: pipeline) }
    } else {
      let me = LoopBound(self)
      let observer = Observer<LuaValue>(
        next: { me.value.next($0) }, end: { me.value.endSource($0) })
      host.context.with(\.subscriber, self) { source.observe(observer, in: subscription) }
    }
  }

  /// Subscribes to the values that enter the pipeline behind the operator that flattens.
  func observe(inner signal: Signal<LuaValue>) {
    let me = LoopBound(self)
    signal.observe(
      Observer(next: { me.value.nextInner($0) }, end: { me.value.end($0) }), in: subscription)
  }

  private func next(_ value: LuaValue) {
    if let pipeline { send(value, into: pipeline) }
  }

  private func nextInner(_ value: LuaValue) {
    if let tail = pipeline?.tail { send(value, into: tail) }
  }

  private func send(_ value: LuaValue, into pipeline: LuaPipeline) {
    guard !isDisposed else { return }
    do {
      if isObserverWork {
        try host.observerWork.within(true) { try host.interpreter.feed(pipeline, value) }
      } else {
        try host.interpreter.feed(pipeline, value)
      }
    } catch { end(.error(error)) }
  }

  /// Receives the integers of a range inside Lua, in pieces, between which an interrupt is noticed and
  /// the clock of a time limit starts anew.
  private func receive(_ range: IntegerRangeSignal, by pipeline: LuaPipeline) {
    for piece in range.pieces {
      guard !isDisposed else { return }
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
    if isDisposed || flatMapping?.end(termination) == true { return }
    end(termination)
  }

  func end(_ termination: Termination) {
    guard !isDisposed else { return }
    // The functions outlive the subscription by this one call.
    let (error, completed) = (error, completed)
    dispose()
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
      try host.observerWork.within(isObserverWork || host.observerWork.isCurrent) {
        _ = try host.interpreter.call(.reference(function), arguments, results: 0)
      }
    } catch {
      host.reportUnhandled(error)
    }
  }

  /// Makes it part of a shared subscription.
  func take(_ place: Int, in row: SharedSubscription) { self.row = (row, place) }

  func dispose() {
    guard !isOver else { return }
    isOver = true
    host.activeSubscriptions -= 1
    _ = host.subscribers.remove(at: slot)
    pipeline?.stop()
    flatMapping?.dispose()
    (error, completed) = (nil, nil)
    if let (row, place) = row.take() { row.remove(at: place) }
    subscription.dispose()
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
      subscriber.dispose()
    }
  }

  /// Disposes all current subscribers, in the order of subscription.
  func disposeSubscribers() {
    var ended: [ScriptSubscriber] = []
    subscribers.removeAll(reversedInto: &ended)
    while let subscriber = ended.popLast() { subscriber.dispose() }
  }
}
