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

  /// The step after a round of a loop that cannot fail: where others do, it pauses.
  mutating func pause() -> Pause? {
    rounds &+= 1
    guard rounds & 15 == 0, case .pause(let pause) = look(canFail: false) else { return nil }
    return pause
  }

  @usableFromInline
  @inline(never)
  mutating func look() -> Step { look(canFail: true) }

  private mutating func look(canFail: Bool) -> Step {
    guard !TurnRequests.areNone else { return .goOn }
    let start = start ?? MonotonicClock.now
    self.start = start
    switch TurnRequests.answer(toLoopSince: start, canFail: canFail) {
    case .goOn: return .goOn
    case .pause(let scheduler): return .pause(Pause(scheduler: scheduler))
    case .fail(let error): return .fail(error)
    }
  }
}
