import LuaRuntime
import Reactive

/// The Swift signal's view of its userdata.
///
/// The userdata keeps the Lua functions and upstream signals that the Swift signal uses in its user
/// values, where Lua's collector sees them; an active subscription keeps the userdata.
struct SignalNode: Sendable {
  unowned(unsafe) let host: ScriptHost
  let anchor: LuaAnchor

  /// Returns the function in a user value.
  func callback(_ slot: Int) -> Callback {
    Callback(host: host, anchor: anchor, slot: slot)
  }

  /// Returns a user value; nil once the userdata has been collected.
  func userValue(_ slot: Int) -> LuaValue {
    host.value { $0.pushUserValue(anchor, slot) }
  }

  /// Returns an element of the table in a user value; nil once the userdata has been collected.
  func userValue(_ slot: Int, element: Int) -> LuaValue {
    host.value { stack in
      if stack.pushUserValue(anchor, slot) == .table { stack.rawGet(element, at: -1) }
    }
  }

  /// Returns the same signal, whose subscriptions keep the userdata.
  func rooting(_ signal: Signal<LuaValue>) -> Signal<LuaValue> {
    Signal { observer, subscription in connect(signal, observer, subscription) }
  }

  /// Connects an observer to a signal, and keeps the userdata until the subscription is over.
  func connect<Value>(
    _ signal: Signal<Value>, _ observer: Observer<Value>,
    _ subscription: CompoundDisposable
  ) {
    if host.stackRoom.isScarce {
      let failure = Failure(
        .limit,
        "signals are nested too deep: each subscribes to the next inside its own subscription")
      return observer.end(.error(failure))
    }
    root(in: subscription)
    signal.observe(observer, in: subscription)
  }

  /// Keeps the userdata until the subscription is over.
  func root(in subscription: CompoundDisposable) {
    guard host.interpreter.root(anchor) else { return }
    subscription.add { [host, anchor] in host.interpreter.unroot(anchor) }
  }

  /// Makes a signal from operators whose callbacks may fail: the first failure ends it with that
  /// error, disposes its upstream, and discards later events.
  func fallible(
    _ build: @escaping @Sendable (_ fail: @escaping Fail) -> Signal<LuaValue>
  ) -> Signal<LuaValue> {
    Signal { observer, subscription in
      let upstream = subscription.makeChild()
      let end: @Sendable (Termination) -> Void = { termination in
        guard !upstream.isDisposed else { return }
        upstream.dispose()
        observer.end(termination)
      }
      let signal = build { error in end(.error(error)) }
      let next = observer.next
      var sendBatch: (@Sendable (Batch<LuaValue>) -> Void)?
      if let batch = observer.batch {
        sendBatch = { values in if !upstream.isDisposed { batch(values) } }
      }
      signal.observe(
        Observer(
          next: { value in if !upstream.isDisposed { next(value) } }, batch: sendBatch, end: end),
        in: upstream)
    }
  }

  /// Ends the signal a callback belongs to.
  typealias Fail = @Sendable (any Error) -> Void

  /// Returns a function from value to value for an operator; a failure is reported and replaced by
  /// nil.
  func transform(_ slot: Int, _ fail: @escaping Fail) -> @Sendable (LuaValue) -> LuaValue {
    let callback = callback(slot)
    return { value in
      do { return try callback.call(value) } catch {
        fail(error)
        return .nil
      }
    }
  }

  /// Returns a predicate for an operator; a failure is reported and replaced by false.
  func predicate(_ slot: Int, _ fail: @escaping Fail) -> @Sendable (LuaValue) -> Bool {
    let transform = transform(slot, fail)
    return { transform($0).isTruthy }
  }

  /// Returns a function of two values for an operator; a failure is reported and replaced by nil.
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
  /// Returns a side effect for an operator; a failure is reported.
  func effect(_ slot: Int, _ fail: @escaping Fail) -> @Sendable (LuaValue) -> Void {
    let callback = callback(slot)
    return { value in do { _ = try callback.call(value) } catch { fail(error) } }
  }
}

extension ScriptHost {
  /// Compares with Lua's `==`, including metamethods.
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

  /// Returns a list with its length in `n`.
  public func list(_ values: [LuaValue]) -> LuaValue {
    value { stack in
      stack.newTable(elements: values.count, fields: 1)
      for (index, value) in values.enumerated() {
        stack.push(value)
        stack.rawSet(index + 1, at: -2)
      }
      stack.set("n", .integer(Int64(values.count)), at: -1)
      if !values.isEmpty, values.allSatisfy(\.isNil) { stack.markEmptyList() }
    }
  }

  /// Returns the elements of a tuple, up to its `n`; nil if the value is not a tuple.
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

  /// Returns the elements of a tuple that an operator needs.
  ///
  /// - Throws: a failure at the operator's place if the value is none.
  func tupleElements(
    _ value: LuaValue, for name: String, at place: @autoclosure () -> SourceLocation
  ) throws(Failure) -> [LuaValue] {
    guard let elements = elements(ofTuple: value) else {
      throw place().failure("\(name) needs tuples, got \(value.type.name)")
    }
    return elements
  }

  /// Returns the same signal, whose subscriptions end with the host's at the latest.
  ///
  /// - Parameter isWork: true if an active subscription keeps the script running.
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
