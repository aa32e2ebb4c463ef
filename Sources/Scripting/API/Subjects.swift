import LuaRuntime
import Reactive

extension Library {
  /// Functions that make signals controlled by hand.
  static let subjects: [APIFunction] = [
    APIFunction(
      "subject", needs: [], returns: .noted(.object(.subject), "rac.Subject<any>"),
      "Returns a signal controlled by hand; late subscribers get only later values and the end.",
      example: """
        local saved = rac.subject()
        saved:subscribe(function(file) print("saved " .. file) end)
        saved:send_next("main.c")
        --> saved main.c
        """
    ) { call in
      call.newSubject(Subject())
    },
    APIFunction(
      "replay_subject", needs: [], [.optional("capacity", .integer)],
      returns: .noted(.object(.subject), "rac.Subject<any>"),
      "Returns a subject that sends late subscribers the latest values (default: all of them).",
      example: """
        local log = rac.replay_subject(2)
        for _, line in ipairs{"a", "b", "c"} do log:send_next(line) end
        log:subscribe(print)
        --> b, c
        """
    ) { call in
      call.newSubject(
        ReplaySubject(capacity: call.has(1) ? try call.count(at: 1, atLeast: 0) : nil))
    },
    APIFunction(
      "behavior_subject", needs: [], [.optional("value", .value("T"))],
      returns: .noted(.object(.subject), "rac.Subject<T>"),
      "Returns a subject with a current value, which each subscriber gets first.",
      example: """
        local level = rac.behavior_subject("info")
        level:subscribe(print)
        level:send_next("debug")
        --> info, debug
        """
    ) { call in
      call.newSubject(BehaviorSubject(call.value(at: 1)))
    },
  ]

  static let subjectObject = APIObject(
    kind: .subject, summary: "A signal controlled by hand.",
    methods: sending(
      examples: (
        next: """
        local temperature = rac.subject()
        temperature:subscribe(print)
        temperature:send_next(21.5)
        --> 21.5
        """,
        error: """
        local upload = rac.subject()
        upload:subscribe(nil, print)
        upload:send_error("connection lost")
        --> connection lost
        """,
        completed: """
        local upload = rac.subject()
        upload:subscribe(nil, nil, function() print("uploaded") end)
        upload:send_completed()
        --> uploaded
        """
      )
    ) { call in
      .subject(try call.lua.object(at: 1, Userdata.subject).subject)
    },
    properties: [
      APIProperty(
        "value", needs: [], .any, "The current value of a behavior subject; nil for other subjects."
      ) {
        call in
        let subject = try call.lua.object(at: 1, Userdata.subject).subject
        return call.returning((subject as? BehaviorSubject<LuaValue>)?.value ?? .nil)
      }
    ])

  static let subscriberObject = APIObject(
    kind: .subscriber,
    summary: "The receiver of the events that the function of `rac.create` sends.",
    methods: sending(
      examples: (
        next: """
        rac.create(function(subscriber) subscriber:send_next("ready") end):subscribe(print)
        --> ready
        """,
        error: """
        rac.create(function(subscriber) subscriber:send_error("no disk") end):subscribe(nil, print)
        --> no disk
        """,
        completed: """
        local nothing = rac.create(function(subscriber) subscriber:send_completed() end)
        print(nothing:to_table().n)
        --> 0
        """
      )
    ) { call in
      .subscriber(try call.lua.object(at: 1, Userdata.subscriber).subscriber)
    },
    properties: [
      APIProperty(
        "disposed", needs: [], .boolean,
        "Whether the subscription is over, so that events are dropped."
      ) {
        call in
        let subscriber = try call.lua.object(at: 1, Userdata.subscriber).subscriber
        return call.returning(.bool(subscriber.isDisposed))
      }
    ])

  /// What a function sends to. Not a protocol: through one, each send would call generic code that is
  /// not specialised for Lua's values.
  private enum Receiver {
    case subject(Subject<LuaValue>)
    case subscriber(Subscriber<LuaValue>)

    func sendNext(_ value: LuaValue) {
      switch self {
      case .subject(let subject): subject.sendNext(value)
      case .subscriber(let subscriber): subscriber.sendNext(value)
      }
    }

    func sendError(_ error: any Error) {
      switch self {
      case .subject(let subject): subject.sendError(error)
      case .subscriber(let subscriber): subscriber.sendError(error)
      }
    }

    func sendCompleted() {
      switch self {
      case .subject(let subject): subject.sendCompleted()
      case .subscriber(let subscriber): subscriber.sendCompleted()
      }
    }
  }

  /// - Parameter examples: those of the three functions.
  private static func sending(
    examples: (next: String, error: String, completed: String),
    _ receiver: @escaping @Sendable (APICall) throws -> Receiver
  ) -> [APIFunction] {
    [
      APIFunction(
        "send_next", needs: [], [.optional("value", .value("T"))], "Sends a value.",
        example: examples.next,
        implementation: .sender { call in
          try receiver(call).sendNext(call.value(at: 2))
          return .none
        }),
      APIFunction(
        "send_error", needs: [], [.optional("error", .any)], "Ends the signal with an error.",
        example: examples.error
      ) { call in
        try receiver(call).sendError(call.host.error(sent: call.value(at: 2)))
        return .none
      },
      APIFunction(
        "send_completed", needs: [], "Ends the signal.", example: examples.completed
      ) { call in
        try receiver(call).sendCompleted()
        return .none
      },
    ]
  }
}

extension APICall {
  fileprivate func newSubject(_ subject: Subject<LuaValue>) -> LuaOutcome {
    let object = SubjectObject(subject, host)
    let isBehavior = subject is BehaviorSubject<LuaValue>
    stack.push(object, as: isBehavior ? Userdata.behaviorSubject : Userdata.subject)
    stack.set(object.way, at: -1)
    return .results(1)
  }
}
