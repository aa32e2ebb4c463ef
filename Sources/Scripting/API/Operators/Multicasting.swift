import LuaRuntime
import Reactive

extension Library {
  /// Operators that share one subscription among many.
  static let multicasting: [APIFunction] = [
    APIFunction(
      "publish", needs: [], returns: .noted(.object(.connection), "rac.Connection<T>"),
      "Returns a connection that sends this signal's events to all its subscribers once it is connected.",
      example: """
        local source = rac.range(1, 2):publish()
        source.signal:subscribe(function(n) print("a", n) end)
        source.signal:subscribe(function(n) print("b", n) end)
        source:connect()
        --> a	1, b	1, a	2, b	2
        """
    ) { call in
      let error = try call.unreceivedError()
      return try call.connection(error) { (error?.noting($0) ?? $0).publish() }
    },
    APIFunction(
      "multicast", needs: [], [.required("subject", .noted(.object(.subject), "rac.Subject<T>"))],
      returns: .noted(.object(.connection), "rac.Connection<T>"),
      "Returns a connection that sends this signal's events through a subject.",
      example: """
        local source = rac.range(1, 3):multicast(rac.replay_subject(1))
        source:connect()
        source.signal:subscribe(print)
        --> 3
        """
    ) { call in
      let subject = try call.lua.object(at: 2, Userdata.subject).subject
      // Whoever holds the subject may subscribe to it.
      return try call.connection(nil) { $0.multicast(subject) }
    },
    APIFunction(
      "replay", needs: [], returns: .signal(of: "T"),
      "Subscribes now, and sends late subscribers the events that they missed.",
      example: """
        local date = rac.exec{"echo", "today"}:replay()
        print(date:first(), date:first())
        --> today	today
        """
    ) { call in
      try call.shared { $0.replay() }
    },
    APIFunction(
      "replay_last", needs: [], returns: .signal(of: "T"),
      "Subscribes now, and sends late subscribers the latest value.",
      example: """
        local latest = rac.range(1, 3):replay_last()
        latest:subscribe(print)
        --> 3
        """
    ) { call in
      try call.shared { $0.replayLast() }
    },
    APIFunction(
      "replay_lazily", needs: [], returns: .signal(of: "T"),
      "Subscribes with the first subscriber, and sends late subscribers the events that they missed.",
      example: """
        local all = rac.range(1, 2):do_next(function() print("made") end):replay_lazily()
        all:subscribe(print)
        all:subscribe(print)
        --> made, 1, made, 2, 1, 2
        """
    ) { call in
      try call.shared { $0.replayLazily() }
    },
    APIFunction(
      "share", needs: [], returns: .signal(of: "T"),
      "Shares one subscription among all current subscribers; starts again with the first subscriber after the last one has left.",
      example: """
        local ticks = rac.interval(0.01):on_dispose(function() print("timer stopped") end):share()
        rac.merge(ticks:take(1), ticks:take(2)):subscribe(print)
        --> 1, 1, 2, timer stopped
        """
    ) { call in
      try call.shared { $0.share() }
    },
  ]

  static let connectionObject = APIObject(
    kind: .connection, summary: "One subscription of a signal for many subscribers.",
    methods: [
      APIFunction(
        "connect", needs: [], returns: .object(.disposable), "Subscribes to the source, once.",
        example: """
          local lines = rac.from{"a", "b"}:publish()
          lines.signal:subscribe(print)
          lines:connect()
          --> a, b
          """
      ) { call in
        let connection = try call.lua.object(at: 1, Userdata.connection).connection
        let subscription = CompoundDisposable()
        subscription.add(connection.connect())
        _ = call.push(
          DisposableObject(subscription), as: Userdata.disposable, holding: [1])
        return .results(1)
      },
      APIFunction(
        "autoconnect", needs: [], returns: .signal(of: "T"),
        "Returns a signal that connects with its first subscriber.",
        example: """
          rac.from{"a", "b"}:publish():autoconnect():subscribe(print)
          --> a, b
          """
      ) { call in
        let object = try call.lua.object(at: 1, Userdata.connection)
        let signal = call.host.receiving(object.received(from: object.connection.autoconnect()))
        return call.newSignal(holding: [1]) { _ in signal }
      },
    ],
    properties: [
      APIProperty(
        "signal", needs: [], .signal(of: "T"), "The source's events once it is connected."
      ) { call in
        let object = try call.lua.object(at: 1, Userdata.connection)
        return call.newSignal(holding: [1], isCold: false) { _ in
          call.host.receiving(object.received(from: object.connection.signal))
        }
      }
    ])
}

extension APICall {
  /// Returns the signal at 1; its subscription ends with the host, wherever the connection is held.
  private func source(isWork: Bool) throws -> Signal<LuaValue> {
    host.owned(Signal(try signal(at: 1)), isWork: isWork)
  }

  fileprivate func shared(_ share: (Signal<LuaValue>) -> Signal<LuaValue>) throws -> LuaOutcome {
    let source = try source(isWork: false)
    return newSignal(holding: [1], isCold: false) { _ in host.receiving(share(source)) }
  }

  /// Returns the error of the signal at 1, if that is work; nil for a subject, whose error was sent to
  /// whoever subscribes to it.
  fileprivate func unreceivedError() throws -> UnreceivedError? {
    let object = try lua.object(at: 1, Userdata.signal)
    if object is SubjectObject { return nil }
    return UnreceivedError(host, of: (object as? ExecutionSignal)?.execution)
  }

  fileprivate func connection(
    _ error: UnreceivedError?, _ make: (Signal<LuaValue>) -> MulticastConnection<LuaValue>
  ) throws -> LuaOutcome {
    let connection = ConnectionObject(make(try source(isWork: true)), error)
    _ = push(connection, as: Userdata.connection, holding: [1])
    return .results(1)
  }
}
