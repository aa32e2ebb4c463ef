import LuaRuntime
import Reactive

extension Library {
  static let subscribe = APIFunction(
    "subscribe",
    [
      .optional("next", .either(.function, .table)), .optional("error", .function),
      .optional("completed", .function),
    ], returns: .object(.disposable),
    "Starts the signal's work and receives its events, by three functions or a table of them."
  ) { call in
    try call.subscribe()
  }

  static let disposableObject = APIObject(
    kind: .disposable, summary: "A subscription.",
    methods: [
      APIFunction("dispose", "Stops the work and drops the functions.") { call in
        try call.lua.object(at: 1, Userdata.disposable).disposable.dispose()
        return .none
      }
    ],
    properties: [
      APIProperty("disposed", .boolean, "Whether it was disposed or has ended.") { call in
        let object = try call.lua.object(at: 1, Userdata.disposable)
        return call.returning(.bool(object.disposable.isDisposed))
      }
    ],
    metamethods: [
      APIFunction("__close", "Disposes at the end of a block.") { call in
        try call.lua.object(at: 1, Userdata.disposable).disposable.dispose()
        return .none
      }
    ])
}

extension APICall {
  private enum Slot {
    static let next = 1
    static let error = 2
    static let completed = 3
  }

  fileprivate func subscribe() throws -> LuaOutcome {
    let object = try lua.object(at: 1, Userdata.signal)
    host.noteObserved(object)
    let first = stack.top + 1
    if stack.type(at: 2) == .table {
      for name in ["next", "error", "completed"] {
        let type = stack.rawGet(name, at: 2)
        guard type == .function || type == .nil else {
          throw LuaArgumentError.value(
            at: 2, problem: "field '\(name)' must be a function, got \(type.name)")
        }
      }
    } else {
      for index in 2...4 { if index <= count { stack.copy(from: index) } else { stack.pushNil() } }
    }
    let handlers = first..<(first + 3)
    let has = handlers.map { stack.type(at: $0) == .function }
    let (subscription, node) = newSubscription(holding: Array(handlers) + [1])
    let receiver = ScriptSubscriber(
      node: node, subscription: subscription,
      error: has[1] ? node.callback(Slot.error) : nil,
      completed: has[2] ? node.callback(Slot.completed) : nil)
    guard has[0] else {
      object.signal.observe(Observer(next: { _ in }, end: receiver.end), in: subscription)
      return .results(1)
    }
    let sink = node.callback(Slot.next)
    let pipeline = try object.operators?.pipeline(into: sink) ?? sink.pipeline()
    subscription.add { pipeline.stop() }
    let interpreter = host.interpreter
    let next = { @Sendable (value: LuaValue) in
      guard !subscription.isDisposed else { return }
      do { try interpreter.feed(pipeline, value) } catch { receiver.end(.error(error)) }
    }
    // With the operators in the pipeline what is left is their source.
    (object.operators?.source ?? object.signal)
      .observe(Observer(next: next, end: receiver.end), in: subscription)
    return .results(1)
  }
}

extension APICall {
  /// Pushes a subscription that keeps the arguments named as long as it is active, and the script
  /// from ending; the host's end disposes it.
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

/// What a script's functions for the end of a signal receive.
private struct ScriptSubscriber: Sendable {
  let node: SignalNode
  let subscription: CompoundDisposable
  let error: Callback?
  let completed: Callback?

  func end(_ termination: Termination) {
    guard !subscription.isDisposed else { return }
    let host = node.host
    // The functions outlive the subscription by this one call.
    let isRooted = host.interpreter.root(node.anchor)
    defer { if isRooted { host.interpreter.unroot(node.anchor) } }
    subscription.dispose()
    switch termination {
    case .completed:
      if let completed { call(completed) { _ in 0 } }
    case .error(let failure):
      guard let error else { return host.reportUnhandled(failure) }
      let value = host.luaValue(of: failure)
      call(error) { stack in
        stack.push(value)
        return 1
      }
    }
  }

  private func call(_ callback: Callback, _ push: (LuaStack) -> Int) {
    do { _ = try callback.call(push) } catch { node.host.reportUnhandled(error) }
  }
}
