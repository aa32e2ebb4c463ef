import LuaRuntime
import Reactive

extension Library {
  static let subscribe = APIFunction(
    "subscribe", needs: [],
    [
      .optional("next", .either(.callback("fun(value: T)"), .table("rac.Observer<T>"))),
      .optional("error", .callback("fun(error: any)")), .optional("completed", .callback("fun()")),
    ], returns: .object(.disposable),
    "Starts the signal's work and receives its events with three functions or a table of them.",
    example: """
      rac.from{"a", "b"}:subscribe{
        next = print,
        error = function(failure) print("failed", failure) end,
        completed = function() print("completed") end,
      }
      --> a, b, completed
      """
  ) { call in
    try call.subscribe()
  }

  static let disposableObject = APIObject(
    kind: .disposable, summary: "A subscription.",
    methods: [
      APIFunction(
        "dispose", needs: [], "Stops the work and releases the functions.",
        example: """
          local ticks = rac.interval(0.01):subscribe(print)
          ticks:dispose()
          print(ticks.disposed)
          --> true
          """
      ) { call in
        try call.lua.object(at: 1, Userdata.disposable).disposable.dispose()
        return .none
      }
    ],
    properties: [
      APIProperty("disposed", needs: [], .boolean, "Whether it has been disposed or has ended.") {
        call in
        let object = try call.lua.object(at: 1, Userdata.disposable)
        return call.returning(.bool(object.disposable.isDisposed))
      }
    ],
    metamethods: [
      APIFunction("__close", needs: [], "Disposes at the end of a block.") { call in
        try call.lua.object(at: 1, Userdata.disposable).disposable.dispose()
        return .none
      }
    ])
}

extension APICall {
  fileprivate func subscribe() throws -> LuaOutcome {
    if let execution = stack.object(at: 1, Userdata.execution) {
      execution.isObserved = true
      return try subscribe { subscriber, _ in subscriber.observe(execution: execution) }
    }
    let object = try lua.object(at: 1, Userdata.signal)
    host.noteObserved(object)
    return try subscribe(object.operators, named: object.name) { subscriber, isFused in
      // The pipeline contains the operators, so only their source is subscribed.
      subscriber.observe(isFused ? object.operators?.source ?? object.signal : object.signal)
    }
  }

  /// Makes a subscriber of the functions.
  ///
  /// - Parameters:
  ///   - operators: the operators that can be a part of its pipeline.
  ///   - name: the name of the signal.
  ///   - observe: subscribes it; receives true if the operators are a part of its pipeline.
  private func subscribe(
    _ operators: FusedOperators? = nil, named name: String? = nil,
    _ observe: (ScriptSubscriber, _ isFused: Bool) -> Void
  ) throws -> LuaOutcome {
    var next = 2
    if stack.type(at: 2) == .table {
      next = stack.top + 1
      try refuseUnknownKeys(at: 2, of: Library.observer)
      for name in ["next", "error", "completed"] {
        let type = stack.rawGet(name, at: 2)
        guard type == .function || type == .nil else {
          throw LuaArgumentError.value(
            at: 2, problem: "field '\(name)' must be a function, got \(type.name)")
        }
      }
    } else {
      stack.top = 4
    }
    var sink: LuaKept?
    var flatMapping: FlatMapping?
    var pipeline: LuaPipeline?
    if function(at: next) {
      if let operators {
        flatMapping = operators.flatMapping()
        pipeline = try operators.pipeline(into: next, flatMapping)
      } else {
        stack.copy(from: next)
        sink = stack.keep()
      }
    }
    let subscriber = ScriptSubscriber(
      host, sink: sink, pipeline, flatMapping,
      error: try function(at: next + 1) ? lua.function(at: next + 1) : nil,
      completed: try function(at: next + 2) ? lua.function(at: next + 2) : nil)
    if host.notesSubscriptions {
      (subscriber.place, subscriber.signalName) = (host.placeOfCall(), name)
    }
    let wantsDisposable = lua.wantsResults
    if wantsDisposable {
      stack.push(subscriber.slot)
      stack.hold(as: Userdata.disposable)
    }
    observe(subscriber, pipeline != nil)
    return .results(wantsDisposable ? 1 : 0)
  }

  private func function(at index: Int) -> Bool { stack.type(at: index) == .function }
}

extension APICall {
  /// Pushes a subscription that, while active, keeps the given arguments and keeps the script
  /// running; the host disposes it when it ends.
  func newSubscription(
    holding arguments: some Collection<Int>
  ) -> (CompoundDisposable, SignalNode) {
    let host = host
    let subscription = host.subscriptions.makeChild()
    let node = push(
      DisposableObject(subscription), as: Userdata.disposable, holding: arguments)
    node.root(in: subscription)
    host.activeSubscriptions += 1
    subscription.add { host.activeSubscriptions -= 1 }
    return (subscription, node)
  }
}
