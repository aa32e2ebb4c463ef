import Synchronization

/// Subscribes to a limited number of signals at once and sends their events to one observer; the
/// other signals wait for a place.
///
/// Each place runs a loop: when a signal ends inside its own subscription, the loop continues with
/// the next signal instead of nesting it.
final class LimitedMerging<Value: Sendable>: Sendable {
  private struct State {
    /// The number of places taken, at most `limit`; signals wait only while all are taken.
    var taken = 0
    var waiting = Queue<Signal<Value>>()
    var isOuterActive = true

    var isFinished: Bool { taken == 0 && !isOuterActive }

    /// Gives up a place; true if that was the end of all signals.
    mutating func givePlaceUp() -> Bool {
      taken -= 1
      return isFinished
    }
  }

  private let serializer: Serializer<Value>
  private let subscription: CompoundDisposable
  private let limit: Int
  private let state = Mutex(State())

  init(_ observer: Observer<Value>, _ subscription: CompoundDisposable, limit: Int) {
    serializer = Serializer(observer, subscription)
    self.subscription = subscription
    self.limit = limit
  }

  func add(_ signal: Signal<Value>) {
    let hasPlace = state.withLock { state in
      guard state.taken < limit else {
        state.waiting.append(signal)
        return false
      }
      state.taken += 1
      return true
    }
    if hasPlace, endsInside(signal), let next = leavePlace() { fillPlace(startingWith: next) }
  }

  func endOuter(_ termination: Termination) {
    let isFinished = state.withLock { state in
      state.isOuterActive = false
      return state.isFinished
    }
    if isFinished { serializer.sendEnd(termination) } else { serializer.sendError(of: termination) }
  }

  @inline(never)
  private func fillPlace(startingWith first: Signal<Value>) {
    var next: Signal<Value>? = first
    var stretch = Stretch()
    while let signal = next {
      switch stretch.step() {
      case .goOn: break
      case .pause(let pause):
        return pause.end(in: subscription) { self.fillPlace(startingWith: signal) }
      case .fail(let error): return serializer.sendEnd(.error(error))
      }
      guard endsInside(signal) else { return }
      next = leavePlace()
    }
  }

  /// Subscribes to a signal; true if it has ended inside the call. If it ends later, that end
  /// continues the place's loop. Inlined to limit the stack use of a chain of such stages.
  @inline(__always)
  private func endsInside(_ signal: Signal<Value>) -> Bool {
    let inner = subscription.makeChild()
    guard !inner.isDisposed else { return false }
    let handover = Handover()
    signal.observe(
      Observer(
        next: { [serializer] in serializer.sendNext($0) }, batch: serializer.sendBatch,
        end: { termination in
          inner.dispose()
          if case .error = termination { return self.serializer.sendEnd(termination) }
          // Delivered at once, not after the call that subscribed.
          if self.givePlaceUp() { return }
          if handover.isSecond, let next = self.leavePlace() {
            self.fillPlace(startingWith: next)
          }
        }), in: inner)
    return handover.isSecond
  }

  /// Takes the next signal for a free place, or gives the place up.
  private func leavePlace() -> Signal<Value>? {
    let (next, isFinished) = state.withLock { state -> (Signal<Value>?, Bool) in
      if let next = state.waiting.popFirst() { return (next, false) }
      return (nil, state.givePlaceUp())
    }
    if isFinished { serializer.sendEnd(.completed) }
    return next
  }

  /// Gives up a place if no signal waits for it; false if one does.
  private func givePlaceUp() -> Bool {
    let (isGivenUp, isFinished) = state.withLock { state in
      guard state.waiting.isEmpty else { return (false, false) }
      return (true, state.givePlaceUp())
    }
    if isFinished { serializer.sendEnd(.completed) }
    return isGivenUp
  }
}

/// Determines which of two events comes second, the end of a signal or the return of the call that
/// subscribed to it: the second one continues.
final class Handover: Sendable {
  private let hasFirstCome = Atomic<Bool>(false)

  /// True for the second caller; each of the two reads it once.
  var isSecond: Bool { hasFirstCome.exchange(true, ordering: .acquiringAndReleasing) }
}
