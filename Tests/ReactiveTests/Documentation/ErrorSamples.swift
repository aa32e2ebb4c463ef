import Reactive
import ReactiveTesting

extension OperatorFamily {
  static let errors = OperatorFamily(
    title: "Errors",
    samples: [
      OperatorSample("catch", singleSource: { source, _ in source.catch { throw $0 } }) { stage in
        let (source, other) = (try stage.cold("-1-#"), try stage.cold("-7-8|", "other"))
        try stage.record(source.catch { _ in other })
      },
      OperatorSample(
        "catchTo", singleSource: { source, _ in source.catchTo(.error(MarbleError.failure)) }
      ) { stage in
        let (source, other) = (try stage.cold("-1-#"), try stage.cold("7-8|", "other"))
        try stage.record(source.catchTo(other))
      },
      OperatorSample("retry", singleSource: { source, _ in source.retry(1) }) { stage in
        let source = try stage.cold("-1-#")
        try stage.record(source.retry(1))
      },
      OperatorSample("repeat") { stage in
        let source = try stage.cold("-1-2|")
        try stage.record(source.repeat().take(5))
      },
      OperatorSample(
        "try, a check", of: "try", in: "Try", singleSource: { source, _ in source.try { _ in } }
      ) { stage in
        let source = try stage.cold("-1-2-3|")
        try stage.record(source.try { if $0 > 2 { throw MarbleError.failure } })
      },
      OperatorSample("tryMap", singleSource: { source, _ in source.tryMap { $0 } }) { stage in
        let source = try stage.cold("-1-2-x-4|", of: String.self)
        try stage.record(
          source.tryMap { text in
            guard let number = Int(text) else { throw MarbleError.failure }
            return number * 2
          })
      },
    ])
}
