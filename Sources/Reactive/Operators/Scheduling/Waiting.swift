import Dispatch
import Synchronization

extension Signal {
  /// Blocks until the first value. RAC: `first`, `firstOrDefault:success:error:`.
  ///
  /// - Values: the first is returned.
  /// - Error: thrown.
  /// - Completion: without a value, returns nil.
  /// - Disposal: the source is disposed before the call returns.
  /// - Scheduler: not on the main thread.
  ///
  /// - Throws: the signal's error, or `SignalError.waitOnMainThread`.
  public func first() throws -> Value? {
    try take(1).wait(for: "first()").values.first
  }

  /// Blocks until the first value. RAC: `firstOrDefault:`.
  ///
  /// - Values: the first is returned.
  /// - Error: thrown.
  /// - Completion: without a value, returns `fallback`.
  /// - Disposal: the source is disposed before the call returns.
  /// - Scheduler: not on the main thread.
  ///
  /// - Throws: the signal's error, or `SignalError.waitOnMainThread`.
  public func firstOrDefault(_ fallback: @autoclosure () -> Value) throws -> Value {
    try take(1).wait(for: "firstOrDefault()").values.first ?? fallback()
  }

  /// Blocks until the end. RAC: `waitUntilCompleted:`.
  ///
  /// - Values: ignored.
  /// - Error: thrown.
  /// - Completion: returns.
  /// - Disposal: cannot be disposed from outside.
  /// - Scheduler: not on the main thread.
  ///
  /// - Throws: the signal's error, or `SignalError.waitOnMainThread`.
  public func waitUntilCompleted() throws {
    _ = try filter { _ in false }.wait(for: "waitUntilCompleted()")
  }

  /// Blocks until the end and collects the values. RAC: `toArray`.
  ///
  /// - Values: returned in order.
  /// - Error: thrown; the values before it are lost.
  /// - Completion: returns.
  /// - Disposal: cannot be disposed from outside.
  /// - Scheduler: not on the main thread.
  ///
  /// - Throws: the signal's error, or `SignalError.waitOnMainThread`.
  public func toArray() throws -> [Value] {
    try wait(for: "toArray()").values
  }

  private func wait(for call: String) throws -> Outcome<Value> {
    guard !Scheduler.main.isCurrent else { throw SignalError.waitOnMainThread(call: call) }
    let outcome = Outcome<Value>()
    let ended = DispatchSemaphore(value: 0)
    subscribe(
      next: { outcome.append($0) },
      error: {
        outcome.fail($0)
        ended.signal()
      },
      completed: { ended.signal() })
    ended.wait()
    if let error = outcome.error { throw error }
    return outcome
  }
}

/// The events that a wait has received.
private final class Outcome<Value: Sendable>: Sendable {
  private let received = Mutex<(values: [Value], error: (any Error)?)>(([], nil))

  var values: [Value] { received.withLock { $0.values } }
  var error: (any Error)? { received.withLock { $0.error } }

  func append(_ value: Value) {
    received.withLock { $0.values.append(value) }
  }

  func fail(_ error: any Error) {
    received.withLock { $0.error = error }
  }
}
