import LuaRuntime
import Reactive

extension Library {
  /// `rac.just`, which is in C.
  @Sendable static func pushJust(_ stack: LuaStack) { stack.pushHolding(Userdata.signal) }

  /// Functions that make signals.
  static let construction: [APIFunction] = [
    APIFunction(
      "create", needs: [],
      [
        .required(
          "did_subscribe", .callback("fun(subscriber: rac.Subscriber<T>): (fun()|rac.Disposable)?"))
      ], returns: .signal(of: "T"),
      "Returns a signal whose work is a function of a subscriber, called for each subscription; the function or disposable that it returns is called at the end.",
      example: """
        local countdown = rac.create(function(subscriber)
          for seconds = 3, 1, -1 do subscriber:send_next(seconds) end
          subscriber:send_completed()
        end)
        countdown:subscribe(print)
        --> 3, 2, 1
        """
    ) { call in
      call.newSignal(holding: [1]) { node in CreatedSignal("rac.create", node).signal }
    },
    APIFunction(
      "just", needs: [], [.optional("value", .value("T"))], returns: .signal(of: "T"),
      "A signal of one value.",
      example: """
        rac.just("ready"):subscribe(print)
        --> ready
        """,
      implementation: .native(pushJust)
    ),
    APIFunction(
      "empty", needs: [], returns: .signal(of: "any"), "A signal that completes at once.",
      example: """
        rac.empty():subscribe(print, print, function() print("completed") end)
        --> completed
        """
    ) { call in
      call.newSignal(.empty())
    },
    APIFunction(
      "never", needs: [], returns: .signal(of: "any"),
      "A signal that sends nothing and never ends.",
      example: """
        print(rac.never():take_until(rac.timer(0.01)):to_table().n)
        --> 0
        """
    ) { call in
      call.newSignal(.never())
    },
    APIFunction(
      "error", needs: [], [.optional("error", .any)], returns: .signal(of: "any"),
      "A signal that fails at once.",
      example: """
        print(pcall(function() rac.error("disk full"):wait() end))
        --> false	disk full
        """
    ) { call in
      call.newSignal(holding: [1], values: [1]) { node in
        Signal { observer, _ in observer.end(.error(node.host.error(sent: node.userValue(1)))) }
      }
    },
    APIFunction(
      "from", needs: [],
      [.required("list", .table("T[]")), .optional("scheduler", .object(.scheduler))],
      returns: .signal(of: "T"),
      "Returns a signal of the elements of a list, up to its `n` if it has one; with a scheduler, one in each turn.",
      example: """
        rac.from{"main.c", "util.c"}:subscribe(print)
        --> main.c, util.c
        """
    ) { call in
      let scheduler = call.has(2) ? try call.lua.object(at: 2, Userdata.scheduler).scheduler : nil
      let count = try call.listCount(at: 1)
      call.stack.top = 1
      // A copy: the signal sends the elements that the list holds now.
      call.stack.newTable(elements: count)
      for position in stride(from: 1, through: count, by: 1) {
        call.stack.rawGet(position, at: 1)
        call.stack.rawSet(position, at: 2)
      }
      return call.newSignal(holding: [2], values: [2]) { node in
        let element: @Sendable (Int) -> LuaValue = { position in
          node.host.value { stack in
            stack.pushUserValue(node.anchor, 1)
            if stack.type(at: -1) == .table { stack.rawGet(position + 1, at: -1) }
          }
        }
        if let scheduler { return Signal<Int>.from(0..<count, on: scheduler).map(element) }
        return node.sending(count: count, element)
      }
    },
    APIFunction(
      "range", needs: [],
      [.required("first", .number), .required("last", .number), .optional("step", .number)],
      returns: .signal(of: "number"),
      "A signal of the numbers from first to last, as Lua's `for` counts them: integers if the first number and the step are.",
      example: """
        rac.range(10, 4, -3):subscribe(print)
        --> 10, 7, 4
        """
    ) { call in
      try call.range()
    },
    APIFunction(
      "defer", needs: [], [.required("f", .callback("fun(): rac.Signal<T>"))],
      returns: .signal(of: "T"),
      "The signal that a function returns, called for each subscription.",
      example: """
        local attempts = 0
        local fetch = rac.defer(function()
          attempts = attempts + 1
          return rac.just(attempts)
        end)
        print(fetch:first(), fetch:first())
        --> 1	2
        """
    ) { call in
      call.newSignal(holding: [1]) { node in
        let callback = node.callback(1)
        return .defer {
          try callback.signal(try callback.call(), from: "the function of rac.defer")
        }
      }
    },
    APIFunction(
      "try", needs: [], [.required("f", .callback("fun(): T"))], returns: .signal(of: "T"),
      "Returns a signal of a function's result, or of the error that it raises.",
      example: """
        rac.try(function() return tonumber("0x1F") end):subscribe(print)
        --> 31
        """
    ) { call in
      call.newSignal(holding: [1]) { node in .try { try node.callback(1).call() } }
    },
    APIFunction(
      "interval", needs: .time, [.required("seconds", .number)], returns: .signal(of: "integer"),
      "Returns a signal that counts 1, 2, 3, … at an interval in seconds.",
      example: """
        rac.interval(0.01):take(3):subscribe(print)
        --> 1, 2, 3
        """
    ) { call in
      let interval = try call.duration(at: 1)
      guard interval > .zero else {
        throw LuaArgumentError.value(at: 1, problem: "more than 0 seconds expected")
      }
      return call.newSignal(
        Signal<Duration>.interval(interval, on: call.host.scheduler)
          .scan(.integer(0)) { count, _ in .integer((count.integerValue ?? 0) + 1) })
    },
    APIFunction(
      "timer", needs: .time, [.required("seconds", .number)], returns: .signal(of: "integer"),
      "Returns a signal that sends one value after a number of seconds and completes.",
      example: """
        rac.timer(0.01):map_replace("time is up"):subscribe(print)
        --> time is up
        """
    ) { call in
      call.newSignal(
        Signal<Duration>.timer(after: try call.duration(at: 1), on: call.host.scheduler)
          .map { _ in .integer(1) })
    },
    APIFunction(
      "async", needs: [], [.required("body", .callback("async fun(emit: fun(value: T)): T?"))],
      returns: .signal(of: "T"),
      "Turns a coroutine into a signal of the values that it emits and then the value that it returns, unless nil.",
      example: """
        local steps = rac.async(function(emit)
          emit("compiling")
          rac.sleep(0.01)
          return "done"
        end)
        steps:subscribe(print)
        --> compiling, done
        """
    ) { call in
      call.newSignal(holding: [1]) { node in
        Signal { observer, subscription in
          let run = CoroutineRun(node.host, observer, subscription, resultUse: .value)
          if node.host.currentExecution != nil { run.refuse(.mistakes) }
          run.start(node.userValue(1)) { stack in
            run.pushEmit(on: stack)
            return 1
          }
        }
      }
    },
  ]
}

extension APICall {
  /// Returns the number of elements of the list at an index: its `n` if it has one.
  fileprivate func listCount(at index: Int) throws -> Int {
    guard let count = TableFields(stack, at: index).integer("n") else {
      return stack.rawLength(at: index)
    }
    guard (0...TableFields.longestList).contains(count) else {
      throw LuaArgumentError.value(
        at: index, problem: "its 'n' is not the length of a list: \(count)")
    }
    return Int(count)
  }
}

extension SignalNode {
  fileprivate func sending(
    count: Int, _ element: @escaping @Sendable (Int) -> LuaValue
  ) -> Signal<LuaValue> {
    host.sending { (0..<count).lazy.map(element) }
  }
}

extension ScriptHost {
  /// Returns a signal of the elements of a sequence; an interrupt can stop it.
  func sending<Elements: Sequence<LuaValue> & SendableMetatype>(
    _ elements: @escaping @Sendable () -> Elements
  ) -> Signal<LuaValue> where Elements.Iterator: SendableMetatype {
    Signal { [interpreter, unowned(unsafe) self] observer, subscription in
      let walk = UntilInterrupted(elements().makeIterator(), interpreter) {
        observer.end(.error(self.interruption))
        subscription.dispose()
      }
      Signal.send(walk, to: observer, in: subscription)
    }
  }
}

/// Iterates elements up to an interrupt, which it reports.
private struct UntilInterrupted<Elements: IteratorProtocol>: IteratorProtocol {
  private var elements: Elements
  private let interpreter: LuaInterpreter
  private let interrupted: () -> Void
  private var untilCheck = 1_000

  init(_ elements: Elements, _ interpreter: LuaInterpreter, _ interrupted: @escaping () -> Void) {
    self.elements = elements
    self.interpreter = interpreter
    self.interrupted = interrupted
  }

  mutating func next() -> Elements.Element? {
    untilCheck -= 1
    if untilCheck == 0 {
      untilCheck = 1_000
      if interpreter.isInterrupted {
        interrupted()
        return nil
      }
    }
    return elements.next()
  }
}

extension ScriptHost {
  /// Makes the object of a signal whose userdata has none, on demand.
  func signalObject(_ stack: LuaStack, at index: Int) -> SignalObject {
    stack.object(at: index, Userdata.execution).map { ExecutionSignal($0) }
      ?? justObject(stack, at: index)
  }

  /// Makes the object of a `rac.just` signal, whose userdata holds its value.
  private func justObject(_ stack: LuaStack, at index: Int) -> SignalObject {
    let index = stack.absolute(index)
    stack.getUserValue(1, at: index)
    defer { stack.pop() }
    if !stack.type(at: -1).isCollected {
      return SignalObject(.just(stack.value(at: -1)), isFree: true)
    }
    let node = node(of: stack, at: index)
    return SignalObject(
      node.rooting(
        Signal { observer, subscription in
          Signal.just(node.userValue(1)).observe(observer, in: subscription)
        }))
  }
}

extension LuaType {
  /// True if values of the type can refer to others.
  fileprivate var isCollected: Bool {
    switch self {
    case .table, .function, .userdata, .thread: true
    default: false
    }
  }
}
