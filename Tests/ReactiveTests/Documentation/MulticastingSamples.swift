import Reactive
import ReactiveTesting

extension OperatorFamily {
  static let multicasting = OperatorFamily(
    title: "Sharing a subscription",
    samples: [
      OperatorSample("publish") { stage in
        let source = try stage.cold("-1-2-3|")
        let connection = try stage.apply(source.publish())
        try stage.record(connection.signal, "first")
        try stage.record(connection.signal, "second", from: 2)
        connection.connect()
      },
      OperatorSample("multicast") { stage in
        let source = try stage.cold("-1-2-3|")
        let connection = try stage.apply(source.multicast(BehaviorSubject(0)))
        try stage.record(connection.signal, "first")
        try stage.record(connection.signal, "second", from: 2)
        connection.connect()
      },
      OperatorSample("autoconnect", singleSource: { source, _ in source.publish().autoconnect() }) {
        stage in
        let source = try stage.cold("-1-2-3-4|")
        let signal = try stage.apply(source.publish().autoconnect())
        try stage.record(signal, "first", from: 1, until: 5)
        try stage.record(signal, "second", from: 3, until: 7)
      },
      OperatorSample("replay", singleSource: { source, _ in source.replay() }) { stage in
        let source = try stage.cold("-1-2-3|")
        let signal = try stage.apply(source.replay())
        try stage.record(signal, "first", from: 2)
        try stage.record(signal, "second", from: 4)
      },
      OperatorSample("replayLast", singleSource: { source, _ in source.replayLast() }) { stage in
        let source = try stage.cold("-1-2-3|")
        let signal = try stage.apply(source.replayLast())
        try stage.record(signal, "first", from: 2)
        try stage.record(signal, "second", from: 4)
      },
      OperatorSample("replayLazily", singleSource: { source, _ in source.replayLazily() }) {
        stage in
        let source = try stage.cold("-1-2-3|")
        let signal = try stage.apply(source.replayLazily())
        try stage.record(signal, "first", from: 2)
        try stage.record(signal, "second", from: 6)
      },
      OperatorSample("share", singleSource: { source, _ in source.share() }) { stage in
        let source = try stage.cold("-1-2-3|")
        let signal = try stage.apply(source.share())
        try stage.record(signal, "first", until: 4)
        try stage.record(signal, "second", from: 2, until: 5)
        try stage.record(signal, "third", from: 7)
      },
    ])
}
