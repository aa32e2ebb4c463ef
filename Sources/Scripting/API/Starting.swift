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
      "As `create`, but the work is done once, from now on, and its events are replayed to all."
    ) { call in
      let host = call.host
      return call.newSignal(holding: [1], isCold: false) { node in
        let work = host.owned(
          node.rooting(CreatedSignal("rac.start_eagerly", node).signal), isWork: true)
        let events = ReplaySubject<LuaValue>()
        work.subscribeOn(host.scheduler).subscribe(events)
        return Signal(events)
      }
    },
    APIFunction(
      "start_lazily", needs: [],
      [
        .required(
          "did_start", .callback("fun(subscriber: rac.Subscriber<T>): (fun()|rac.Disposable)?"))
      ], returns: .signal(of: "T"),
      "As `create`, but the work is done once, from the first subscription on, and its events are replayed to all."
    ) { call in
      let host = call.host
      return call.newSignal(holding: [1]) { node in
        host.owned(node.rooting(CreatedSignal("rac.start_lazily", node).signal), isWork: false)
          .replayLazily()
      }
    },
  ]
}
