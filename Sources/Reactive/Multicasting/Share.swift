import Synchronization

extension Signal {
  /// Shares one subscription to this signal among all current subscribers. Rx: `share`.
  ///
  /// - Values: the source's while a subscriber is there; nothing is replayed.
  /// - Error: the source's; the next subscriber subscribes to the source again.
  /// - Completion: with the source; the next subscriber subscribes to the source again.
  /// - Disposal: of the last subscriber, disposes the source; the next one subscribes again.
  /// - Scheduler: the source's.
  public func share() -> Signal {
    // Wraps the signal instead of capturing it: a subscription must not keep a subject alive.
    let sharing = Sharing(Signal(self))
    return Signal { sharing.observe($0, in: $1) }
  }
}

/// The subscription that the current subscribers of a shared signal share, if there are any.
private final class Sharing<Value: Sendable>: Sendable {
  /// One subscription to the source and its subscribers.
  private final class Round: Sendable {
    let subject = Subject<Value>()
    let upstream = CompoundDisposable()
  }

  private struct State {
    var round: Round?
    var subscribers = 0
  }

  private let source: Signal<Value>
  private let state = Mutex(State())

  init(_ source: Signal<Value>) {
    self.source = source
  }

  func observe(_ observer: Observer<Value>, in subscription: CompoundDisposable) {
    let (round, isFirst) = join()
    round.subject.observe(observer, in: subscription)
    subscription.addAsync { done in
      self.leave(round)
      round.upstream.whenEnded(done)
    }
    if isFirst { connect(round) }
  }

  private func join() -> (Round, isFirst: Bool) {
    state.withLock { state in
      if let round = state.round {
        state.subscribers += 1
        return (round, false)
      }
      let round = Round()
      state = State(round: round, subscribers: 1)
      return (round, true)
    }
  }

  private func connect(_ round: Round) {
    source.observe(
      Observer(
        next: { round.subject.sendNext($0) }, batch: round.subject.sendBatch,
        end: { termination in
          // Before the end is delivered, so that a subscriber that subscribes again from inside it
          // starts a new round.
          self.finish(round)
          round.subject.end(termination)
        }), in: round.upstream)
  }

  private func leave(_ round: Round) {
    let isLast = state.withLock { state in
      guard state.round === round else { return false }
      state.subscribers -= 1
      guard state.subscribers == 0 else { return false }
      // Later subscribers must not join a round that is being torn down.
      state = State()
      return true
    }
    if isLast { round.upstream.dispose() }
  }

  private func finish(_ round: Round) {
    state.withLock { state in
      if state.round === round { state = State() }
    }
    round.upstream.dispose()
  }
}
