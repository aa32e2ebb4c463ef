/// Counts the rounds that a synchronous loop has made without a pause, and decides when the loop
/// has to let the event loop have a turn. Costs a count per round.
@usableFromInline
struct Stretch: Sendable {
  @usableFromInline var rounds: UInt32 = 0
  private var start: Duration?

  /// A loop's step after a round.
  @usableFromInline
  enum Step {
    case goOn
    /// Continue in a later turn, by `Pause.end`.
    case pause(Pause)
    /// Fail, because the loop has run for too long.
    case fail(SignalError)
  }

  /// The turn of an event loop that a loop waits for.
  @usableFromInline
  struct Pause {
    fileprivate let scheduler: MainScheduler

    /// Calls `goOn` in a later turn, unless the subscription is disposed before.
    @usableFromInline
    func end(in subscription: CompoundDisposable, _ goOn: @escaping @Sendable () -> Void) {
      subscription.addTurn(on: scheduler, goOn)
    }

    /// Calls `goOn` in a later turn.
    @usableFromInline
    func end(_ goOn: @escaping @Sendable () -> Void) {
      scheduler.enqueue(goOn)
    }
  }

  @usableFromInline
  init() {}

  /// Counts a round.
  @inlinable
  mutating func step() -> Step {
    rounds &+= 1
    return rounds & 15 == 0 ? look() : .goOn
  }

  @usableFromInline
  @inline(never)
  mutating func look() -> Step {
    guard !TurnRequests.areNone else { return .goOn }
    let start = start ?? MonotonicClock.now
    self.start = start
    switch TurnRequests.answer(toLoopSince: start) {
    case .goOn: return .goOn
    case .pause(let scheduler): return .pause(Pause(scheduler: scheduler))
    case .fail(let error): return .fail(error)
    }
  }
}
