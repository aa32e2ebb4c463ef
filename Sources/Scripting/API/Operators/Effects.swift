import LuaRuntime
import Reactive

extension Library {
  /// Operators that only observe the events.
  static let effects: [APIFunction] = [
    APIFunction(
      "initially", needs: [], [.required("f", .callback("fun()"))], returns: .signal(of: "T"),
      "Calls a function at each subscription, before the work starts.",
      example: """
        rac.just(1):initially(function() print("starting") end):subscribe(print)
        --> starting, 1
        """
    ) { call in
      try call.lift { upstream, node, fail in
        let callback = node.callback(2)
        return upstream.initially { do { _ = try callback.call() } catch { fail(error) } }
      }
    },
    APIFunction(
      "do_next", needs: [], [.required("f", .callback("fun(value: T)"))], returns: .signal(of: "T"),
      "Calls a function with each value before passing it on.",
      example: """
        rac.range(1, 2):do_next(function(n) print("saw", n) end):wait()
        --> saw	1, saw	2
        """
    ) { call in
      try call.fuse(.each)
    },
    APIFunction(
      "do_error", needs: [], [.required("f", .callback("fun(error: any)"))],
      returns: .signal(of: "T"),
      "Calls a function with the error before passing it on.",
      example: """
        rac.error("full"):do_error(function(e) print("noting", e) end):catch_to(rac.empty()):wait()
        --> noting	full
        """
    ) { call in
      try call.lift { upstream, node, fail in
        let effect = node.effect(2, fail)
        return upstream.doError { effect(node.host.luaValue(of: $0)) }
      }
    },
    APIFunction(
      "do_completed", needs: [], [.required("f", .callback("fun()"))], returns: .signal(of: "T"),
      "Calls a function before passing on completion.",
      example: """
        rac.just(1):do_completed(function() print("all there") end):wait()
        --> all there
        """
    ) { call in
      try call.lift { upstream, node, fail in
        let callback = node.callback(2)
        return upstream.doCompleted { do { _ = try callback.call() } catch { fail(error) } }
      }
    },
    APIFunction(
      "finally", needs: [], [.required("f", .callback("fun()"))], returns: .signal(of: "T"),
      "Calls a function before passing on the end, completion or error.",
      example: """
        rac.error("full"):finally(function() print("tidy up") end):catch_to(rac.empty()):wait()
        --> tidy up
        """
    ) { call in
      try call.lift { upstream, node, fail in
        let callback = node.callback(2)
        return upstream.finally { do { _ = try callback.call() } catch { fail(error) } }
      }
    },
    APIFunction(
      "on_dispose", needs: [], [.required("f", .callback("fun()"))], returns: .signal(of: "T"),
      "Calls a function when a subscription is over, through disposal or its end.",
      example: """
        rac.never():on_dispose(function() print("let go") end):subscribe():dispose()
        --> let go
        """
    ) { call in
      try call.lift { upstream, node, _ in
        let callback = node.callback(2)
        let (host, deadline) = (node.host, node.host.interpreter.deadline)
        return upstream.onDispose {
          host.context.cleanUp(after: deadline) {
            do { _ = try callback.call() } catch { host.reportUnhandled(error) }
          }
        }
      }
    },
    APIFunction(
      "log", needs: .output, [.optional("name", .string)], returns: .signal(of: "T"),
      "Logs each event at level `info`.",
      example: """
        rac.range(1, 2):log("counter"):wait()
        """
    ) { call in
      let given = call.has(2) ? try call.lua.string(at: 2) : nil
      let name = try given ?? call.lua.object(at: 1, Userdata.signal).name ?? "signal"
      let host = call.host
      return try call.lift { upstream in host.logging(upstream, as: name) }
    },
    APIFunction(
      "named", needs: [], [.required("name", .string)], returns: .signal(of: "T"),
      "Returns the same signal with a name, for `log` and `tostring`.",
      example: """
        print(rac.never():named("keyboard"))
        --> signal: keyboard
        """
    ) { call in
      let name = try call.lua.string(at: 2)
      let outcome = try call.lift { $0 }
      call.stack.object(at: -1, Userdata.signal)?.name = name
      return outcome
    },
  ]
}

extension ScriptHost {
  fileprivate func logging(_ signal: Signal<LuaValue>, as name: String) -> Signal<LuaValue> {
    let write: @Sendable (String) -> Void = { [unowned(unsafe) self] text in
      log(.info, "\(name): \(text)")
    }
    return Signal { [unowned(unsafe) self] observer, subscription in
      write("subscribed")
      subscription.add { write("disposed") }
      signal.observe(
        Observer(
          next: { value in
            write("next \(self.describe(value))")
            if !subscription.isDisposed { observer.next(value) }
          },
          end: { termination in
            switch termination {
            case .completed: write("completed")
            case .error(let error): write("error \(self.failure(of: error).message)")
            }
            if !subscription.isDisposed { observer.end(termination) }
          }), in: subscription)
    }
  }
}
