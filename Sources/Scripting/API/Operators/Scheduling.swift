import LuaRuntime
import Platform
import Reactive

extension Library {
  /// Operators that choose where events are delivered.
  static let scheduling: [APIFunction] = [
    APIFunction(
      "deliver_on", needs: [], [.required("scheduler", .object(.scheduler))],
      returns: .signal(of: "T"),
      "Delivers every event on a scheduler.",
      example: """
        rac.just("later"):deliver_on(rac.scheduler.main):subscribe(print)
        print("first")
        --> first, later
        """
    ) { call in
      let scheduler = try call.lua.object(at: 2, Userdata.scheduler).scheduler
      return try call.liftQueueing { $0.deliverOn(scheduler) }
    },
    APIFunction(
      "deliver_on_main", needs: [], returns: .signal(of: "T"),
      "Delivers every event in a separate turn of the loop.",
      example: """
        rac.just("later"):deliver_on_main():subscribe(print)
        print("first")
        --> first, later
        """
    ) {
      call in
      let scheduler = call.host.scheduler
      return try call.liftQueueing { $0.deliverOn(scheduler) }
    },
    APIFunction(
      "subscribe_on", needs: [], [.required("scheduler", .object(.scheduler))],
      returns: .signal(of: "T"),
      "Starts the work on a scheduler.",
      example: """
        rac.try(function() return "the work" end):subscribe_on(rac.scheduler.main):subscribe(print)
        print("first")
        --> first, the work
        """
    ) { call in
      let scheduler = try call.lua.object(at: 2, Userdata.scheduler).scheduler
      return try call.lift { $0.subscribeOn(scheduler) }
    },
  ]

  static let schedulerObject = APIObject(
    kind: .scheduler, summary: "Decides where and when functions run.",
    methods: [
      APIFunction(
        "schedule", needs: [], [.required("f", .callback("fun()"))], returns: .object(.disposable),
        "Calls a function as soon as its turn comes.",
        example: """
          rac.scheduler.main:schedule(function() print("second") end)
          print("first")
          --> first, second
          """
      ) { call in
        try call.schedule(functionAt: 2, after: .zero, isRepeated: false) { $0.schedule($1) }
      },
      APIFunction(
        "after", needs: .time, [.required("seconds", .number), .required("f", .callback("fun()"))],
        returns: .object(.disposable), "Calls a function once after a number of seconds.",
        example: """
          rac.scheduler.main:after(0.01, function() print("a moment later") end)
          --> a moment later
          """
      ) { call in
        let delay = try call.duration(at: 2)
        return try call.schedule(functionAt: 3, after: delay, isRepeated: false) {
          scheduler, work in
          scheduler.schedule(after: delay, work)
        }
      },
      APIFunction(
        "every", needs: .time, [.required("seconds", .number), .required("f", .callback("fun()"))],
        returns: .object(.disposable),
        "Calls a function at an interval in seconds, until it is disposed.",
        example: """
          local clock <close> = rac.test_scheduler()
          local poll = clock:every(60, function() print("minute " .. clock.now // 60) end)
          clock:advance(120)
          poll:dispose()
          --> minute 1.0, minute 2.0
          """
      ) { call in
        let interval = try call.duration(at: 2)
        guard interval > .zero else {
          throw LuaArgumentError.value(at: 2, problem: "more than 0 seconds expected")
        }
        return try call.schedule(functionAt: 3, after: interval, isRepeated: true) {
          scheduler, work in
          scheduler.schedule(every: interval, work)
        }
      },
    ],
    metamethods: [
      APIFunction("__tostring", needs: [], "The scheduler's name.") { call in
        let object = try call.lua.object(at: 1, Userdata.scheduler)
        return call.returning(.string("scheduler: \(object.name)"))
      }
    ])
}

extension APICall {
  /// Schedules a function and pushes the disposable that cancels it.
  ///
  /// The deadline of the code that schedules it holds for a function without a delay too, also if it
  /// has passed: one that schedules itself again ends with the work that it belongs to.
  fileprivate func schedule(
    functionAt index: Int, after delay: Duration, isRepeated: Bool,
    _ start: (Scheduler, @escaping @Sendable () -> Void) -> any Disposable
  ) throws -> LuaOutcome {
    let scheduler = try lua.object(at: 1, Userdata.scheduler).scheduler
    let host = host
    let (subscription, node) = newSubscription(holding: [index])
    let callback = node.callback(1)
    let deadline = delay > .zero ? nil : host.interpreter.deadline
    // Nested work of the immediate scheduler is limited by its loop.
    let chain = delay == .zero && scheduler is MainScheduler ? host.context.turnChain : nil
    let work = start(
      scheduler,
      onLoop {
        guard !subscription.isDisposed else { return }
        if let deadline, deadline <= LuaInterpreter.now { return subscription.dispose() }
        do {
          try chain?.check(host.interpreter)
          _ = try host.context.inTurn(of: chain) { try callback.call() }
        } catch {
          subscription.dispose()
          host.reportUnhandled(error)
        }
        if !isRepeated { subscription.dispose() }
      })
    // A loop that has taken too long drops what it has scheduled.
    (work as? ScheduledWork)?.onDispose { [weak subscription] in subscription?.dispose() }
    subscription.add(work)
    return .results(1)
  }
}

/// Runs work at once, and delayed work on the loop's thread, the only thread that may run Lua.
final class InlineScheduler: Scheduler, @unchecked Sendable {
  // Unchecked only because its superclass is open: the property that it adds is immutable.

  private let timers: Scheduler

  /// - Parameter timers: the scheduler for delayed work.
  init(timers: Scheduler) {
    self.timers = timers
  }

  override func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    Scheduler.immediate.schedule(work)
  }

  override func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    delay > .zero ? timers.schedule(after: delay, work) : schedule(work)
  }

  override func schedule(
    every interval: Duration, leeway: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    timers.schedule(every: interval, leeway: leeway, work)
  }
}
