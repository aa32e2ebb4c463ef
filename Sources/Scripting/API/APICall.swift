import Commands
import LuaRuntime
import Reactive

/// A call of a function of the Lua library.
struct APICall {
  // Not unowned: each use of it would count a reference, where a call counts one.
  let host: ScriptHost
  let lua: LuaCall

  var stack: LuaStack { lua.stack }
  var count: Int { lua.count }

  func value(at index: Int) -> LuaValue { lua.value(at: index) }

  func has(_ index: Int) -> Bool { !lua.isNoneOrNil(at: index) }

  /// The script line that makes the call.
  var place: SourceLocation { SourceLocation(text: host.placeOfCall()) }

  /// Returns the signal, subject or execution at an index.
  func signal(at index: Int) throws -> Signal<LuaValue> {
    let object = try lua.object(at: index, Userdata.signal)
    host.noteObserved(object)
    return object.signal
  }

  /// Returns the seconds at an index as a duration that is not negative.
  func duration(at index: Int) throws -> Duration {
    let seconds = try lua.number(at: index)
    guard let duration = Duration(luaSeconds: seconds) else {
      throw LuaArgumentError.value(at: index, problem: "seconds from 0 up expected")
    }
    return duration
  }

  /// Returns a count that is at least `minimum`.
  func count(at index: Int, atLeast minimum: Int) throws -> Int {
    let number = try lua.integer(at: index)
    guard number >= minimum else {
      throw LuaArgumentError.value(
        at: index, problem: "a number of at least \(minimum) expected")
    }
    return Int(clamping: number)
  }

  /// Throws if the table at an index has an unknown key, or one that needs a capability that
  /// scripts lack.
  ///
  /// - Parameter isList: true if positions are valid keys.
  func refuseUnknownKeys(at index: Int, of record: APIRecord, isList: Bool = false) throws {
    let fields = TableFields(stack, at: index)
    let problems =
      fields.unknownKeys(besides: record.keys, isList: isList)
      + fields.refusedKeys(of: record, host.interpreter)
    if let problem = problems.first { throw LuaArgumentError.value(at: index, problem: problem) }
  }

  /// Pushes and returns a value.
  func returning(_ value: LuaValue) -> LuaOutcome { lua.returning(value) }

  /// Pushes a new signal that keeps the given arguments as its user values 1, 2, ….
  ///
  /// - Parameters:
  ///   - values: those of the arguments that are values to send rather than operands.
  ///   - isCold: true if it does nothing until it is subscribed.
  func newSignal(
    holding arguments: some Collection<Int>, values: Set<Int> = [], isCold: Bool = true,
    _ build: (SignalNode) throws -> Signal<LuaValue>
  ) rethrows -> LuaOutcome {
    let object = SignalObject()
    let node = push(object, as: Userdata.signal, holding: arguments, values: values)
    object.become(node.rooting(try build(node)))
    if isCold { watchMade(object) }
    return .results(1)
  }

  /// Tracks a signal that a coroutine makes now, if its loss is a failure.
  func watchMade(_ object: SignalObject) {
    guard let run = host.context.run, run.refusal != .none, lua.waiting == .possible,
      run.refusal == .mistakes || !lua.wantsResults
    else { return }
    run.makes(object)
  }

  /// Pushes a new signal that needs nothing from Lua.
  func newSignal(_ signal: Signal<LuaValue>) -> LuaOutcome {
    let object = SignalObject(signal, isFree: true)
    stack.push(object, as: Userdata.signal)
    watchMade(object)
    return .results(1)
  }

  /// Pushes a userdata that keeps the given arguments, except subjects among its operands: these
  /// hold no function, and their subscribers must not keep them from ending when no sender is left.
  func push<Object: AnyObject>(
    _ object: Object, as type: LuaUserdataType<Object>, holding arguments: some Collection<Int>,
    values: Set<Int> = []
  ) -> SignalNode {
    let given = stack.top
    stack.push(object, as: type, userValues: arguments.count)
    for (slot, argument) in arguments.enumerated() where argument <= given {
      if !values.contains(argument), stack.holds(Userdata.subject, at: argument) {
        stack.pushNil()
      } else {
        stack.copy(from: argument)
      }
      stack.setUserValue(slot + 1, at: -2)
    }
    if host.defersConditions, let signal = object as? SignalObject {
      signal.dependsOnSubject = arguments.contains { argument in
        argument <= given && !values.contains(argument)
          && stack.object(at: argument, Userdata.signal)?.dependsOnSubject == true
      }
    }
    return host.node(of: stack, at: -1)
  }

  /// Pushes a signal that an operator makes from the one at 1 without calling Lua functions.
  func lift(_ lift: (Signal<LuaValue>) throws -> Signal<LuaValue>) throws -> LuaOutcome {
    let upstream = try signal(at: 1)
    return try newSignal(holding: [1]) { _ in try lift(upstream) }
  }

  /// Pushes a signal that an operator of several signals makes from the one at 1 without calling
  /// Lua functions.
  func join(_ join: (Signal<LuaValue>) throws -> Signal<LuaValue>) throws -> LuaOutcome {
    let upstream = try signal(at: 1)
    return try newSignal(holding: 1..<(count + 1)) { _ in try join(upstream) }
  }

  /// Pushes a signal that an operator makes from the one at 1, with functions, the other arguments,
  /// that may fail. It reads what it needs of them at each subscription.
  func lift(
    values: Set<Int> = [],
    _ lift:
      @escaping @Sendable (
        Signal<LuaValue>, SignalNode, @escaping SignalNode.Fail
      ) -> Signal<LuaValue>
  ) throws -> LuaOutcome {
    let upstream = try signal(at: 1)
    return newSignal(holding: 1..<(max(count, 4) + 1), values: values) { node in
      node.fallible { fail in lift(upstream, node, fail) }
    }
  }
}

extension Duration {
  /// Converts Lua's seconds; nil if negative or not a number. More than a century becomes a
  /// century, which is long enough for any wait.
  init?(luaSeconds seconds: Double) {
    guard seconds >= 0 else { return nil }
    let seconds = min(seconds, 4e9)
    let whole = seconds.rounded(.down)
    self = .seconds(Int64(whole)) + .nanoseconds(Int64((seconds - whole) * 1e9))
  }
}
