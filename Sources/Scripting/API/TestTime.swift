import LuaRuntime
import Platform
import Reactive

extension Library {
  static let testTime: [APIFunction] = [
    APIFunction(
      "test_scheduler", needs: [], returns: .object(.testScheduler),
      "Puts the script into virtual time, which starts at zero and passes only when it is advanced; for tests. Timers of an earlier virtual time are dropped.",
      example: """
        local clock <close> = rac.test_scheduler()
        rac.interval(3600):map(function(hour) return "hour " .. hour end):subscribe(print)
        clock:advance(2 * 3600)
        --> hour 1, hour 2
        """
    ) { call in
      let time = VirtualTime(loop: call.host.loop, call.host.context)
      call.host.scheduler.use(time)
      call.stack.push(
        TestSchedulerObject(time, of: call.host.scheduler), as: Userdata.testScheduler)
      return .results(1)
    }
  ]

  static let testSchedulerObject = APIObject(
    kind: .testScheduler,
    summary: "The virtual time in which all timers of the script run.",
    methods: [
      APIFunction(
        "advance", needs: [], [.required("seconds", .number)], waits: true,
        "Advances the time, and runs everything that becomes due, in order; fails with an error of kind `limit` if more than 100,000 timers run at one moment.",
        example: """
          local clock <close> = rac.test_scheduler()
          rac.timer(90):subscribe(function() print("ring") end)
          clock:advance(89)
          print("not yet")
          clock:advance(1)
          --> not yet, ring
          """
      ) { call in
        let time = try call.virtualTime()
        let target = time.now + (try call.duration(at: 2))
        return try call.move(time, to: target)
      },
      APIFunction(
        "run", needs: [], waits: true,
        "Advances the time until no timer is pending; fails with an error of kind `limit` if that takes more than 100,000 steps.",
        example: """
          local clock <close> = rac.test_scheduler()
          local backup = rac.async(function() rac.sleep(8 * 3600) return "backed up" end)
          backup:subscribe(print)
          clock:run()
          print(clock.now)
          --> backed up, 28800.0
          """
      ) { call in
        try call.move(try call.virtualTime(), to: nil)
      },
      APIFunction(
        "step", needs: [], returns: .boolean, waits: true,
        "Advances the time to the next timer and runs only that one; returns whether there was one.",
        example: """
          local clock <close> = rac.test_scheduler()
          rac.timer(1):subscribe(function() print("first") end)
          rac.timer(1):subscribe(function() print("second") end)
          print(clock:step(), clock.now)
          print(clock:step(), clock:step())
          --> first, true	1.0, second, true	false
          """
      ) { call in
        let time = try call.virtualTime()
        return try call.wait { wait in
          time.step(
            unless: onLoop { wait.subscription.isDisposed },
            onLoop { hasRun in wait.finish(.success([.bool(hasRun)])) })
        }
      },
      APIFunction(
        "dispose", needs: [],
        "Returns to real time; timers that are pending in virtual time are dropped.",
        example: """
          local clock = rac.test_scheduler()
          clock:advance(1000)
          clock:dispose()
          rac.sleep(0.01)
          print("in real time again")
          --> in real time again
          """
      ) {
        call in
        try call.leaveVirtualTime()
      },
    ],
    properties: [
      APIProperty(
        "now", needs: .time, .number, "The time in seconds, which `rac.now()` returns too."
      ) { call in
        call.returning(.number(try call.virtualTime().now.inSeconds))
      },
      APIProperty(
        "pending", needs: [], .integer,
        "The number of pending timers: 0 once a pipeline has cleaned up."
      ) { call in
        call.returning(.integer(Int64(try call.virtualTime().pendingCount)))
      },
    ],
    metamethods: [
      APIFunction("__close", needs: [], "Goes back to real time at the end of a block.") { call in
        try call.leaveVirtualTime()
      }
    ])
}

extension APICall {
  fileprivate func virtualTime() throws -> VirtualTime {
    try lua.object(at: 1, Userdata.testScheduler).time
  }

  fileprivate func move(_ time: VirtualTime, to target: Duration?) throws -> LuaOutcome {
    // A target bounds the steps by itself.
    let limit = target == nil ? 100_000 : Int.max
    let (timeLimit, deadline) = (host.interpreter.timeLimit, host.interpreter.deadline)
    let limitEnd = timeLimit.map { LuaInterpreter.now + $0 }
    let end = [limitEnd, deadline].compactMap { $0 }.min()
    return try wait { wait in
      time.move(
        to: target, atMost: limit, until: end, unless: onLoop { wait.subscription.isDisposed },
        onLoop { moveEnd in
          if case .reached = moveEnd { return wait.finish(.success([])) }
          let failure: any Error =
            switch moveEnd {
            case .reached, .tooManySteps:
              Failure(.limit, "timers are still pending after \(limit) steps; does one repeat?")
            case .tooManyAtOnce:
              Failure(
                .limit,
                "more than \(VirtualTime.mostAtOnce) timers ran at one moment; does one restart "
                  + "itself?")
            case .late where end == deadline:
              Failure.late
            case .late: SignalError.endless(after: timeLimit ?? .zero)
            }
          wait.finish(.failure(failure))
        })
    }
  }

  /// Returns to real time, unless another virtual time has replaced this one.
  fileprivate func leaveVirtualTime() throws -> LuaOutcome {
    host.scheduler.use(host.realTime, inPlaceOf: try virtualTime())
    return .none
  }
}
