import LuaRuntime
import Platform
import Reactive

/// A coroutine's wait.
final class Wait {
  /// The parent of the awaited work's subscription; it is disposed when the wait is over, and with
  /// the coroutine.
  let subscription: CompoundDisposable
  private(set) var result: Result<[LuaValue], any Error>?
  fileprivate var run: CoroutineRun?

  fileprivate init(_ subscription: CompoundDisposable) {
    self.subscription = subscription
  }

  /// Ends the wait, once.
  func finish(_ result: Result<[LuaValue], any Error>) {
    guard self.result == nil else { return }
    self.result = result
    subscription.dispose()
    run?.wake(result)
    run = nil
  }

  /// Ends the wait without a value.
  fileprivate func finish(_ termination: Termination) {
    switch termination {
    case .completed: finish(.success([]))
    case .error(let error): finish(.failure(error))
    }
  }
}

extension APICall {
  /// Suspends the calling coroutine until `begin` has produced a result, or returns at once if it
  /// produces one synchronously.
  ///
  /// - Throws: the awaited error, or an error if waiting is not possible here.
  func wait(_ begin: (Wait) -> Void) throws -> LuaOutcome {
    let run = lua.waiting == .possible ? host.context.run : nil
    let wait = Wait(run?.subscription.makeChild() ?? CompoundDisposable())
    begin(wait)
    if let result = wait.result {
      switch result {
      case .success(let values):
        for value in values { stack.push(value) }
        return .results(values.count)
      case .failure(let error): throw host.raisable(error)
      }
    }
    guard let run else {
      wait.subscription.dispose()
      if host.context.isClosingCoroutine { throw APIUsageError.waitWhileClosing }
      throw lua.waiting == .insideCallback ? APIUsageError.waitInCallback : .waitOutsideCoroutine
    }
    wait.run = run
    run.suspend(for: wait)
    return .yield()
  }

  /// Waits for the end of the signal at 1, whose values nothing takes.
  func waitForEnd() throws -> LuaOutcome {
    if let execution = stack.object(at: 1, Userdata.execution) {
      execution.isObserved = true
      host.showUntakenOutput(of: execution)
      return try wait { wait in
        execution.isFollowed(in: wait.subscription)
        execution.observe(
          host.context.receiving(
            Observer(
              next: { _ in }, batch: { _ in },
              end: onLoop { wait.finish(execution.ofScript($0)) })), in: wait.subscription)
      }
    }
    let signal = try signal(at: 1)
    return try wait { wait in
      signal.observe(host.dropping(onLoop { wait.finish($0) }), in: wait.subscription)
    }
  }

  /// Waits for a signal: `next` inspects each value and may end the wait, `completed` makes the
  /// result of completion.
  func wait(
    for signal: Signal<LuaValue>,
    next: @escaping (Wait, LuaValue) -> Void = { _, _ in },
    completed: @escaping () -> [LuaValue] = { [] }
  ) throws -> LuaOutcome {
    try wait { wait in
      signal.observe(
        Observer(
          next: onLoop { next(wait, $0) },
          end: onLoop { termination in
            switch termination {
            case .completed: wait.finish(.success(completed()))
            case .error(let error): wait.finish(.failure(error))
            }
          }), in: wait.subscription)
    }
  }
}
