/// W1 to W5, W7 and W8: the workloads of a reactive library, each beside what one would write by hand
/// for it alone. Prints nanoseconds per unit and ratios, for integers and for a payload of the size
/// and the kind of a Lua value.
func reactiveBenchmark() {
  print("workload                                 payload   ours   floor   ratio   goal")
  // First, while the heap is as the process found it.
  let integers = ReplayMemory(of: Int.self)
  let payloads = ReplayMemory(of: Payload.self)
  measure(Int.self, named: "Int", integers)
  measure(Payload.self, named: "enum", payloads)
}

private func measure<Value: BenchmarkValue>(
  _ type: Value.Type, named payload: String, _ memory: ReplayMemory
) {
  let table = Table(payload: payload)
  table.add("W1 subject, map, filter, map, scan", goal: 1.5, pipelineWorkload(type))
  table.add("W2 fan-out to 100, per delivery", goal: 2, fanOutWorkload(type))
  table.add("W3 replay of 100,000, per delivery", goal: 2, replayWorkload(type))
  table.add("W4 flatMap to one value, per inner", goal: 1.3, flatMapWorkload(type))
  table.add("W4 beside closures under locks", goal: 0.68, flatMapOfClosuresWorkload(type))
  table.add("W5 combineLatest of two, per send", goal: 1.5, combineLatestWorkload(type))
  table.add("W7 create, one value, complete, dispose", goal: 1.5, lifeWorkload(type))
  table.add("W7 beside closures", goal: 0.89, lifeOfClosuresWorkload(type))
  table.addMemory("W8 replay of 1,000,000, bytes per value", goal: 1.3, memory)
}

/// A workload and its floor. Both are set up anew for each block and then do so many units.
struct Workload {
  let units: Int
  let ours: () -> (_ units: Int) -> Void
  let floor: () -> (_ units: Int) -> Void
}

private struct Table {
  let payload: String

  /// Blocks alternate, and the median counts, so that other load on the machine shows in some blocks
  /// and not in others.
  func add(_ title: String, goal: Double, _ workload: Workload) {
    var ours: [Double] = []
    var floor: [Double] = []
    for _ in 0..<ratios.withLock({ $0.blocks }) {
      floor.append(time(workload.units, workload.floor()))
      ours.append(time(workload.units, workload.ours()))
    }
    let times = (ours: median(ours), floor: median(floor))
    ratios.withLock { $0.note("\(title), \(payload)", times.ours / times.floor) }
    line(title, goal: goal, ours: times.ours, floor: times.floor)
  }

  func addMemory(_ title: String, goal: Double, _ memory: ReplayMemory) {
    ratios.withLock {
      $0.noteFirst("\(title), \(payload)", memory.bytesPerValue / memory.floor)
    }
    line(title, goal: goal, ours: memory.bytesPerValue, floor: memory.floor)
  }

  private func time(_ units: Int, _ run: (Int) -> Void) -> Double {
    ContinuousClock().measure { run(units) } / .nanoseconds(units)
  }

  private func line(_ title: String, goal: Double, ours: Double, floor: Double) {
    let ratio = ours / floor
    print(
      pad(title, -40), pad(payload, -6), pad(decimal(ours, 1), 7), pad(decimal(floor, 1), 7),
      pad(decimal(ratio, 2), 7), pad(decimal(goal, 2), 6), ratio > goal ? "  missed" : "")
  }
}
