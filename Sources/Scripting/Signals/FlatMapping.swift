import LuaRuntime
import Reactive

/// The work of a `flat_map` for a subscription of a script's functions.
///
/// While its function returns signals of `rac.just`, their values pass on inside Lua and nothing of
/// this is used: each such signal has ended before the next value comes. From the first other signal on,
/// all of them go through a `flatMap`, whose output enters the pipeline behind the operator.
final class FlatMapping {
  private unowned(unsafe) let host: ScriptHost
  /// The subscriber, until it is disposed.
  weak var subscriber: ScriptSubscriber?
  /// Sends the signals, once there was one.
  private var signals: Subject<LuaValue>?

  init(_ host: ScriptHost) { self.host = host }

  /// Pushes the functions that a pipeline needs besides that of the operator.
  func push(on stack: LuaStack) {
    stack.pushTaking(Userdata.signal)
    stack.pushFunction { [weak self] call in
      try self?.receive(call)
      return .none
    }
  }

  /// Receives what the function at 2 has returned, at 1.
  private func receive(_ call: LuaCall) throws {
    guard let subscriber else { return }
    guard call.stack.holds(Userdata.signal, at: 1) else {
      let place = SourceLocation(text: call.stack.placeOfFunction(at: 2))
      let type = call.stack.type(at: 1).name
      return subscriber.end(
        .error(place.failure("the function of flat_map returned \(type), expected a signal")))
    }
    let signals = signals ?? begin(for: subscriber)
    signals.sendNext(call.value(at: 1))
  }

  private func begin(for subscriber: ScriptSubscriber) -> Subject<LuaValue> {
    let signals = Subject<LuaValue>()
    self.signals = signals
    let host = host
    subscriber.observe(
      inner: signals.flatMap(into: { value, merging in
        _ = merging.add(host.made(of: value))
      }))
    return signals
  }

  /// Handles the end of the source.
  ///
  /// - Returns: false if there was no other signal, so that the subscription ends with the source.
  func end(_ termination: Termination) -> Bool {
    guard let signals else { return false }
    switch termination {
    case .completed: signals.sendCompleted()
    case .error(let error): signals.sendError(error)
    }
    return true
  }

  func dispose() {
    subscriber = nil
    signals = nil
  }
}

extension Merging<LuaValue> {
  /// Subscribes to what a function that has to return a signal has returned.
  ///
  /// - Returns: the type of what is no signal.
  func add(_ made: Callback.Made) -> LuaType? {
    switch made {
    case .just(let value): send(value)
    case .signal(let signal): add(signal)
    case .other(let type): return type
    }
    return nil
  }
}
