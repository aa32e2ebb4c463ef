import LuaRuntime
import Reactive

extension Library {
  /// Functions that make signals whose work is done once.
  static let starting: [APIFunction] = [
    APIFunction(
      "start_eagerly", needs: [],
      [
        .required(
          "did_start", .callback("fun(subscriber: rac.Subscriber<T>): (fun()|rac.Disposable)?"))
      ], returns: .signal(of: "T"),
      "Like `create`, but the work is done once, starting now, and its events are replayed to all subscribers.",
      example: """
        local config = rac.start_eagerly(function(subscriber)
          print("reading")
          subscriber:send_next("debug = true")
          subscriber:send_completed()
        end)
        print(config:first(), config:first())
        --> reading, debug = true	debug = true
        """
    ) { call in
      let host = call.host
      return call.newSignal(holding: [1], isCold: false) { node in
        // Kept from now on: a script may drop the signal before its work begins.
        let work = node.rooting(
          CreatedSignal("rac.start_eagerly", node).signal.subscribeOn(host.scheduler))
        let (error, events) = (UnreceivedError(host), ReplaySubject<LuaValue>())
        error.noting(host.owned(work, isWork: true)).subscribe(events)
        return host.receiving(error.received(from: Signal(events)))
      }
    },
    APIFunction(
      "start_lazily", needs: [],
      [
        .required(
          "did_start", .callback("fun(subscriber: rac.Subscriber<T>): (fun()|rac.Disposable)?"))
      ], returns: .signal(of: "T"),
      "Like `create`, but the work is done once, starting with the first subscription, and its events are replayed to all subscribers.",
      example: """
        local config = rac.start_lazily(function(subscriber)
          print("reading")
          subscriber:send_next("debug = true")
          subscriber:send_completed()
        end)
        print("nobody asked yet")
        print(config:first(), config:first())
        --> nobody asked yet, reading, debug = true	debug = true
        """
    ) { call in
      let host = call.host
      return call.newSignal(holding: [1]) { node in
        host.receiving(
          host.owned(node.rooting(CreatedSignal("rac.start_lazily", node).signal), isWork: false)
            .replayLazily())
      }
    },
  ]
}
