import LuaRuntime
import Platform
import Reactive

/// Those that wait until a condition is no longer pending. Confined to the loop's thread.
final class ConditionWaiters {
  private final class Waiter {
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) { self.body = body }

    func call() { body.take()?() }

    func cancel() { body = nil }
  }

  private var waiters = SlotTable<Waiter>()
  /// What lasts as long as the wait; nil while nobody waits.
  private var wait: CompoundDisposable?

  /// Adds one that waits, whose wait ends with `subscription` at the latest.
  ///
  /// - Parameter begin: called with what lasts as long as the wait, if nobody has waited.
  func add(
    _ body: @escaping () -> Void, in subscription: CompoundDisposable,
    begin: (CompoundDisposable) -> Void
  ) {
    let waiter = Waiter(body)
    let slot = waiters.insert(waiter)
    subscription.add(
      onLoop { [self] in
        // One that was removed may have yet to be called.
        waiter.cancel()
        _ = waiters.remove(at: slot)
      })
    guard wait == nil else { return }
    let wait = CompoundDisposable()
    self.wait = wait
    begin(wait)
  }

  /// Ends the wait, and calls all in later turns of the loop: not inside the call that has sent a value.
  ///
  /// - Returns: false if nobody has waited.
  func callAll(on scheduler: MainScheduler) -> Bool {
    guard let wait else { return false }
    self.wait = nil
    wait.dispose()
    var all: [Waiter] = []
    waiters.removeAll(reversedInto: &all)
    for waiter in all.reversed() { scheduler.enqueue(onLoop(waiter.call)) }
    return true
  }
}

extension EnabledCondition {
  /// Calls `body` when the condition is no longer pending.
  func whenKnown(
    of script: ScriptCommand, in subscription: CompoundDisposable, _ body: @escaping () -> Void
  ) {
    waiters.add(body, in: subscription) { wait in
      host.awaitedConditions.append(self)
      let place = script.position.map { " (\($0))" } ?? ""
      let text = "waiting for \(name.replacing("its", with: "the")) of '\(script.name)'\(place)"
      after(.seconds(1), in: wait) { [unowned(unsafe) host] in host.observers.waits(text) }
      if let limit = host.conditionTimeout {
        after(limit, in: wait) { [self] in giveUp(" within \(limit.text)") }
      }
    }
  }

  /// Starts a timer that does not keep the loop alive.
  private func after(
    _ delay: Duration, in subscription: CompoundDisposable, _ body: @escaping () -> Void
  ) {
    let timer = host.loop.timer(after: delay, body)
    timer.unref()
    subscription.add { timer.cancel() }
  }
}

extension ScriptHost {
  /// Ends the wait for conditions because no remaining work could send a value.
  ///
  /// - Returns: true if a condition was being waited for.
  public func giveUpConditions() -> Bool {
    let awaited = awaitedConditions.filter(\.isPending)
    for condition in awaited {
      condition.giveUp(", and nothing remains that could make it do so")
    }
    return !awaited.isEmpty
  }
}
