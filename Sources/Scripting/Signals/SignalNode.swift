import LuaRuntime
import Reactive

/// A signal userdata, as the Swift signal behind it sees it.
///
/// The userdata keeps the Lua functions and upstream signals that the Swift signal uses, in its user
/// values, where Lua's collector sees them; an active subscription keeps the userdata.
struct SignalNode: Sendable {
  unowned(unsafe) let host: ScriptHost
  let anchor: LuaAnchor

  /// The function in a user value.
  func callback(_ slot: Int) -> Callback {
    Callback(host: host, anchor: anchor, slot: slot)
  }

  /// A user value; nil once the userdata is gone.
  func userValue(_ slot: Int) -> LuaValue {
    host.value { $0.pushUserValue(anchor, slot) }
  }

  /// The same signal, whose subscriptions keep the userdata.
  func rooting(_ signal: Signal<LuaValue>) -> Signal<LuaValue> {
    Signal { observer, subscription in
      if host.stackRoom.isScarce {
        let failure = Failure(
          .limit,
          "signals are nested too deep: each subscribes to the next inside its own subscription")
        return observer.end(.error(failure))
      }
      root(in: subscription)
      signal.observe(observer, in: subscription)
    }
  }

  /// Keeps the userdata until the subscription is over.
  func root(in subscription: CompoundDisposable) {
    guard host.interpreter.root(anchor) else { return }
    subscription.add { [host, anchor] in host.interpreter.unroot(anchor) }
  }

  /// A signal built from operators whose callbacks may fail: the first failure ends it with that
  /// error, tears down what is upstream, and lets nothing through after it.
  func fallible(
    _ build: @escaping @Sendable (_ fail: @escaping Fail) -> Signal<LuaValue>
  ) -> Signal<LuaValue> {
    Signal { observer, subscription in
      let upstream = subscription.makeChild()
      let isOver = Flag()
      let end: @Sendable (Termination) -> Void = { termination in
        guard !isOver.isSet else { return }
        isOver.isSet = true
        upstream.dispose()
        observer.end(termination)
      }
      let signal = build { error in end(.error(error)) }
      let next = observer.next
      signal.observe(
        Observer(next: { value in if !isOver.isSet { next(value) } }, end: end), in: upstream)
    }
  }

  /// Ends the signal a callback belongs to.
  typealias Fail = @Sendable (any Error) -> Void

  /// A function from value to value for an operator; a failure is told and nil stands in for it.
  func transform(_ slot: Int, _ fail: @escaping Fail) -> @Sendable (LuaValue) -> LuaValue {
    let callback = callback(slot)
    return { value in
      do { return try callback.call(value) } catch {
        fail(error)
        return .nil
      }
    }
  }

  /// A test for an operator; a failure is told and false stands in for it.
  func predicate(_ slot: Int, _ fail: @escaping Fail) -> @Sendable (LuaValue) -> Bool {
    let transform = transform(slot, fail)
    return { transform($0).isTruthy }
  }

  /// A function of two values for an operator; a failure is told and nil stands in for it.
  func combine(
    _ slot: Int, _ fail: @escaping Fail
  ) -> @Sendable (LuaValue, LuaValue) -> LuaValue {
    let callback = callback(slot)
    return { first, second in
      do { return try callback.call(first, second) } catch {
        fail(error)
        return .nil
      }
    }
  }
}

extension SignalNode {
  /// An effect of a value for an operator; a failure is told.
  func effect(_ slot: Int, _ fail: @escaping Fail) -> @Sendable (LuaValue) -> Void {
    let callback = callback(slot)
    return { value in do { _ = try callback.call(value) } catch { fail(error) } }
  }
}

extension ScriptHost {
  /// Lua's `==`, with metamethods.
  func areEqual(_ first: LuaValue, _ second: LuaValue) throws -> Bool {
    guard first.type == second.type, first != second, first.referenceValue != nil else {
      return first == second
    }
    let isEqual = try interpreter.withStack { (stack: LuaStack) throws(LuaError) -> Bool in
      stack.push(first)
      stack.push(second)
      return try stack.equal(stack.top - 1, stack.top)
    }
    return isEqual ?? false
  }

  /// The elements of a tuple, up to its `n`; nil if the value is none.
  func elements(ofTuple value: LuaValue) -> [LuaValue]? {
    guard case .reference(let table) = value, table.type == .table else { return nil }
    return interpreter.withStack { stack in
      stack.push(table)
      let fields = TableFields(stack, at: -1)
      guard let count = fields.integer("n"), (0...TableFields.longestList).contains(count) else {
        return nil
      }
      return fields.elements(count: Int(count))
    } ?? nil
  }

  /// The same signal, whose subscriptions end with the host's at the latest.
  ///
  /// - Parameter isWork: whether the script has not ended while one is active.
  func owned(_ signal: Signal<LuaValue>, isWork: Bool) -> Signal<LuaValue> {
    let subscriptions = subscriptions
    return Signal { [unowned(unsafe) self] observer, subscription in
      let slot = subscriptions.insert(subscription)
      if isWork { activeSubscriptions += 1 }
      subscription.add {
        subscriptions.remove(slot)
        if isWork { self.activeSubscriptions -= 1 }
      }
      signal.observe(observer, in: subscription)
    }
  }
}

/// A flag of one subscription; on the loop's thread.
final class Flag: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.
  @exclusivity(unchecked) var isSet = false
}
