import Reactive
import ReactiveTesting

extension OperatorFamily {
  static let scheduling = OperatorFamily(
    title: "Scheduling and waiting",
    samples: [
      OperatorSample(
        "deliverOn", singleSource: { source, scheduler in source.deliverOn(scheduler) }
      ) { stage in
        let (source, scheduler) = (try stage.cold("-1-2|"), stage.scheduler)
        try stage.record(source.deliverOn(scheduler))
      },
      OperatorSample("deliverOnMain") { stage in
        let source = try stage.cold("(12|)")
        try await stage.recordInRealTime(source.deliverOnMain())
      },
      OperatorSample(
        "subscribeOn", singleSource: { source, scheduler in source.subscribeOn(scheduler) }
      ) { stage in
        let (source, scheduler) = (try stage.cold("-1-2|"), stage.scheduler)
        try stage.record(source.subscribeOn(scheduler))
      },
      OperatorSample("first") { stage in
        let source = try stage.cold("(123|)")
        let first = try stage.apply(source.first())
        try stage.note("returns", first!)
      },
      OperatorSample("firstOrDefault") { stage in
        let source = try stage.cold("|")
        try stage.note("returns", source.firstOrDefault(7))
      },
      OperatorSample("waitUntilCompleted") { stage in
        let source = try stage.cold("(123|)")
        try stage.note("returns", source.waitUntilCompleted())
      },
      OperatorSample("toArray") { stage in
        let source = try stage.cold("(123|)")
        try stage.note("returns", source.toArray())
      },
      OperatorSample("firstAsync") { stage in
        let source = try stage.cold("(123|)")
        let first = try await stage.apply(source.firstAsync())
        try stage.note("returns", first!)
      },
      OperatorSample("untilCompleted") { stage in
        let source = try stage.cold("(123|)")
        let end: Void = try await stage.apply(source.untilCompleted())
        try stage.note("returns", end)
      },
      OperatorSample("values") { stage in
        let source = try stage.cold("(123|)")
        let values = try stage.apply(source.values)
        for try await value in values { try stage.note("element", value) }
      },
    ])
}
