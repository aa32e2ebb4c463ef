import LuaRuntime
import Reactive

/// The error of work that was started without a subscriber and that runs wait for, such as that of
/// `rac.start_eagerly`. It is reported when nobody can subscribe any more, unless somebody has
/// subscribed at some time. Confined to the loop's thread.
final class UnreceivedError: @unchecked Sendable {
  // Unchecked: it is confined to the thread of the loop.

  /// Nil once the host is gone: signals may outlive it.
  private weak var host: ScriptHost?
  private let execution: ScriptExecution?
  private var hasSubscriber = false
  /// The number of the error among those of the host.
  private var number: Int?

  /// - Parameter execution: the execution that is the work, whose error observers of its command
  ///   receive, too.
  init(_ host: ScriptHost, of execution: ScriptExecution? = nil) {
    self.host = host
    self.execution = execution
  }

  deinit {
    if let number, let host, let failure = host.unreceivedErrors.take(number) {
      host.reportUnhandled(failure)
    }
  }

  /// Returns the same signal, whose error is the one to receive.
  func noting(_ work: Signal<LuaValue>) -> Signal<LuaValue> {
    work.doError { error in
      guard !self.hasSubscriber, self.execution?.hasErrorObservers != true, let host = self.host
      else { return }
      self.number = host.unreceivedErrors.add(host.failure(of: error))
    }
  }

  /// Returns the same signal, whose subscribers receive the error.
  func received(from events: Signal<LuaValue>) -> Signal<LuaValue> {
    Signal { observer, subscription in
      self.noteSubscriber()
      events.observe(observer, in: subscription)
    }
  }

  private func noteSubscriber() {
    hasSubscriber = true
    if let number { _ = host?.unreceivedErrors.take(number) }
  }
}

/// The errors that nobody has received so far, in the order in which they came.
struct UnreceivedErrors {
  private var failures: [Int: Failure] = [:]
  private var count = 0

  var isEmpty: Bool { failures.isEmpty }

  /// Adds an error and returns its number.
  mutating func add(_ failure: Failure) -> Int {
    count += 1
    failures[count] = failure
    return count
  }

  /// Removes an error; nil if it has been removed before.
  mutating func take(_ number: Int) -> Failure? { failures.removeValue(forKey: number) }

  mutating func takeAll() -> [Failure] {
    defer { failures = [:] }
    return failures.sorted { $0.key < $1.key }.map(\.value)
  }
}

extension ScriptHost {
  /// Reports the errors of started work that nobody can receive any more. What commands still hold
  /// may be meant for those that were not executed.
  public func reportLostErrors() {
    guard !unreceivedErrors.isEmpty else { return }
    interpreter.collectGarbage()
    interpreter.releaseCollected()
  }

  /// Reports the errors of started work that nobody has received: the script that could has ended.
  public func reportUnreceivedErrors() {
    for failure in unreceivedErrors.takeAll() { reportUnhandled(failure) }
  }
}
