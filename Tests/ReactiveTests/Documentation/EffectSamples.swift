import Reactive
import ReactiveTesting
import Synchronization

extension OperatorFamily {
  static let effects = OperatorFamily(
    title: "Effects",
    samples: [
      OperatorSample("initially", singleSource: { source, _ in source.initially {} }) { stage in
        let (source, effect) = (try stage.cold("-1-2|"), stage.effect())
        let signal = try stage.apply(source.initially { effect() })
        try stage.record(signal, from: 2)
      },
      OperatorSample("doNext", singleSource: { source, _ in source.doNext { _ in } }) { stage in
        let (source, effect) = (try stage.cold("-1-2|"), stage.effect())
        try stage.record(source.doNext { _ in effect() })
      },
      OperatorSample("doError", singleSource: { source, _ in source.doError { _ in } }) { stage in
        let (source, effect) = (try stage.cold("-1-2-#"), stage.effect())
        try stage.record(source.doError { _ in effect() })
      },
      OperatorSample("doCompleted", singleSource: { source, _ in source.doCompleted {} }) { stage in
        let (source, effect) = (try stage.cold("-1-2|"), stage.effect())
        try stage.record(source.doCompleted { effect() })
      },
      OperatorSample("finally", singleSource: { source, _ in source.finally {} }) { stage in
        let (source, effect) = (try stage.cold("-1-2-#"), stage.effect())
        try stage.record(source.finally { effect() })
      },
      OperatorSample("onDispose", singleSource: { source, _ in source.onDispose {} }) { stage in
        let (source, effect) = (try stage.cold("-1-2-3|"), stage.effect())
        let signal = try stage.apply(source.onDispose { effect() })
        try stage.record(signal, until: 4)
      },
      OperatorSample("assign") { stage in
        let (source, label) = (try stage.cold("-1-2|"), Label())
        _ = try stage.apply(source.assign(to: \.number, on: label))
        stage.advance(frames: 5)
        try stage.note("number", label.number)
      },
      OperatorSample("log", singleSource: { source, _ in source.log { _ in } }) { stage in
        let (source, lines) = (try stage.cold("-1-2|"), Log())
        let write: @Sendable (String) -> Void = { lines.add($0) }
        try stage.record(source.log(write))
        stage.advance(frames: 5)
        for line in lines.lines { try stage.note("line", line) }
      },
      OperatorSample("named", singleSource: { source, _ in source.named("source") }) { stage in
        let source = try stage.cold("-1-2|")
        let named = try stage.apply(source.named("prices"))
        try stage.record(named)
        try stage.note("shown as", named)
      },
    ])
}

/// An object with properties to set.
private final class Label: Sendable {
  private let stored = Mutex(0)

  var number: Int {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}
