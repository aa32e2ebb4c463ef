import Commands
import LuaRuntime
import Platform
import Reactive

/// A signal of a command as scripts see it: its later events make the functions that receive them
/// observers.
class CommandEvents: Signal<LuaValue>, @unchecked Sendable {
  // Unchecked only because its superclass is open: what it adds is immutable.

  private let events: Signal<LuaValue>
  fileprivate let node: SignalNode

  /// - Parameter node: its userdata, which keeps the command while it is subscribed.
  init(_ events: Signal<LuaValue>, _ node: SignalNode) {
    self.events = events
    self.node = node
    super.init { observer, subscription in
      let observer = node.host.context.receivingAlways(observer)
      // Events sent during the subscription are no news.
      var isNews = false
      let observing = Observer(
        next: onLoop { (value: LuaValue) in
          guard isNews else { return observer.next(value) }
          node.host.observerWork.within(true) { observer.next(value) }
        }, end: observer.end)
      isNews = Self.connect(events, node, observing, subscription)
    }
  }

  /// Connects an observer that itself tells news from the rest.
  ///
  /// - Returns: true if what it receives from now on is news.
  func observe(_ observer: Observer<LuaValue>, in subscription: CompoundDisposable) -> Bool {
    Self.connect(events, node, observer, subscription)
  }

  fileprivate static func connect<Value>(
    _ events: Signal<Value>, _ node: SignalNode, _ observer: Observer<Value>,
    _ subscription: CompoundDisposable
  ) -> Bool {
    let context = node.host.context
    let observes = !context.isSubscribingCondition
    if observes { context.subscriber?.observesCommand = true }
    node.connect(events, observer, subscription)
    return observes
  }
}

/// The signal of a command's executions as scripts see it.
final class CommandExecutions: CommandEvents, @unchecked Sendable {
  // Unchecked only because its superclass is open: what it adds is immutable.

  let command: ScriptCommand

  /// - Parameter value: makes the value for an execution.
  init(
    _ command: ScriptCommand,
    _ value: @escaping @Sendable (Execution<LuaValue, LuaValue>) -> LuaValue, _ node: SignalNode
  ) {
    self.command = command
    super.init(command.command.executions.map(value), node)
  }

  /// Connects an observer to the executions, which are not made values before; see `observe`.
  func observe(
    executions observer: Observer<Execution<LuaValue, LuaValue>>,
    in subscription: CompoundDisposable
  ) -> Bool {
    Self.connect(command.command.executions, node, observer, subscription)
  }
}
