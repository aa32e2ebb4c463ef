import LuaRuntime
import Platform
import Reactive

/// The signal of a subject for scripts. It does not keep the subject: a subscription must not keep
/// the sender alive.
///
/// Functions of scripts that subscribe to it consecutively share a place among its subscribers, so
/// that a value crosses into Lua once for all of them.
final class SubjectSignal: Signal<LuaValue>, @unchecked Sendable {
  // Unchecked only because its superclass is open: what it adds is immutable, or bound to the loop.

  /// The latest subscribers, and their place.
  private final class Latest {
    var row: (SharedSubscription, place: any Disposable)?
  }

  private let places: SubjectPlaces<LuaValue>
  private let interpreter: LuaInterpreter
  private let latest = LoopBound(Latest())
  private let way: LoopBound<LuaSendingWay>

  init(_ subject: Subject<LuaValue>, _ host: ScriptHost, _ way: LuaSendingWay) {
    places = SubjectPlaces(subject)
    interpreter = host.interpreter
    self.way = LoopBound(way)
    super.init(host.receiving(Signal(subject)))
  }

  /// True if each subscriber is sent the values that it missed, and so needs a place of its own.
  var isReplaying: Bool { places.areReplaying }

  /// Subscribes a script's functions, of which one receives the values.
  func observe(_ subscriber: ScriptSubscriber, _ function: LuaKept) {
    let latest = latest.value
    if let (row, place) = latest.row, places.isLast(place) {
      return row.append(subscriber, function)
    }
    let row = SharedSubscription(interpreter)
    row.append(subscriber, function)
    let bound = LoopBound(row)
    let place = places.add(
      Observer(next: { bound.value.send($0) }, end: { bound.value.end($0) }), in: row.subscription)
    row.delivery = SoleDelivery(to: place)
    way.value.lead(to: row)
    latest.row = (row, place)
  }
}

/// Subscribers of a subject that share a place among its subscribers.
final class SharedSubscription: LuaSinks {
  let subscription = CompoundDisposable()
  private let interpreter: LuaInterpreter
  /// The delivery of values that scripts send, if this is the only place; the subject keeps the place.
  @exclusivity(unchecked) fileprivate var delivery: SoleDelivery?
  /// The subscribers by sink; one that leaves becomes nil.
  private var subscribers: [ScriptSubscriber?] = []
  private var live = 0

  override init(_ interpreter: LuaInterpreter) {
    self.interpreter = interpreter
    super.init(interpreter)
  }

  /// Adds a subscriber. Must not be called while a value is being sent.
  func append(_ subscriber: ScriptSubscriber, _ function: LuaKept) {
    compactIfSparse()
    subscriber.take(subscribers.count, in: self)
    subscribers.append(subscriber)
    append(function)
    live += 1
  }

  override func remove(at place: Int) {
    subscribers[place] = nil
    super.remove(at: place)
    live -= 1
    if live == 0 { subscription.dispose() }
  }

  private func compactIfSparse() {
    guard live * 2 < subscribers.count else { return }
    compact()
    subscribers.removeAll { $0 == nil }
    for (place, subscriber) in subscribers.enumerated() { subscriber?.take(place, in: self) }
  }

  func send(_ value: LuaValue) {
    interpreter.feed(self, value) { place, error in fail(at: place, error) }
  }

  override func beginSending() -> Turn {
    switch delivery?.begin() ?? .none {
    case .none: .busy
    case .shared: .shared
    case .sole: .sole
    }
  }

  override func fail(at place: Int, _ error: LuaError) { subscribers[place]?.end(.error(error)) }

  override func endSending() -> Bool { delivery?.end() ?? true }

  override func catchUp() { delivery?.drain() }

  func end(_ termination: Termination) {
    for subscriber in subscribers { subscriber?.endSource(termination) }
  }
}
