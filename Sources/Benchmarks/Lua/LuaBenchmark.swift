import CLuaFloors
import EventLoop
import LuaRuntime
import Platform
import Scripting

/// What scripts pay: pipelines and calls whose functions are all Lua's, beside the same in plain Lua
/// or through Lua's bare interface. Prints nanoseconds per unit and ratios. For a profiler:
/// LUA_WORKLOAD in the environment is a part of the title of those to run.
func luaBenchmark() {
  do {
    print("workload                                      ours   floor   ratio   goal")
    let stage = try LuaStage()
    let closures = try stage.function(LuaWorkloads.closures)
    let row = LuaRow(units: 200_000)
    row.print("map, filter, map, scan, subscribe, per event", goal: 0.9) {
      try stage.call(try stage.function(LuaWorkloads.pipeline), $0 / 2)
    } floor: {
      try stage.call(closures, $0 / 2)
    }
    let subject = try stage.function(LuaWorkloads.subjectPipeline)
    row.print("the same, each event sent to a subject", goal: 1.6) {
      try stage.call(subject, $0 / 2)
    } floor: {
      try stage.call(closures, $0 / 2)
    }
    let fanOut = try stage.function(LuaWorkloads.fanOut)
    row.print("subject to 100 subscribers, bare lua_pcall", goal: 0.8) {
      try stage.call(fanOut, $0)
    } floor: {
      try stage.barePCalls(LuaWorkloads.subscriber, $0)
    }
    try hostFunction(stage)
    let flatMap = try stage.function(LuaWorkloads.flatMap)
    let peer = try stage.function(LuaWorkloads.flatMapPeer)
    LuaRow(units: 50_000).print("flat_map to just, per inner, Rx in Lua", goal: 0.15) {
      try stage.call(flatMap, $0)
    } floor: {
      try stage.call(peer, $0)
    }
    try execution()
  } catch { print("lua: \(error)") }
}

/// A call from Lua with one integer, without what the loop around it costs.
private func hostFunction(_ stage: LuaStage) throws {
  let loop = "local f = ... return function(n) for i = 1, n do f(i) end end"
  let empty = try stage.function("return function(n) for i = 1, n do end end")
  let swift = try stage.function(
    loop,
    with: { stack in
      stack.pushFunction { call in
        call.stack.push(try call.integer(at: 1))
        return .results(1)
      }
    })
  let c = try stage.function(loop, with: { floor_push_identity($0.state) })
  LuaRow(units: 1_000_000, beside: { try stage.call(empty, $0) }).print(
    "host function of one integer, C function", goal: 2
  ) {
    try stage.call(swift, $0)
  } floor: {
    try stage.call(c, $0)
  }
}

private func execution() throws {
  let stage = try LuaStage()
  let loop = ManualLoop()
  stage.host.scheduler.use(loop)
  let execute = try stage.function(LuaWorkloads.execute)
  LuaRow(units: 20_000).print("execute with a signal block, Swift command", goal: 1.8) { units in
    for number in 0..<units {
      try stage.call(execute, number)
      loop.run()
    }
  } floor: {
    executeInSwift($0)
  }
}

/// An interpreter with the library.
final class LuaStage {
  let loop: EventLoop
  let host: ScriptHost

  init() throws {
    loop = try EventLoop()
    host = try ScriptHost(
      loop: loop,
      policy: HostPolicy(
        confirmation: { _ in }, conditions: .assumed, upToDate: .ignored,
        limits: HostPolicy.Limits(memory: nil, time: nil, sandbox: nil), mistakes: .fail,
        takesLateOutput: { true }, isEndRequested: { false }),
      observers: [])
  }

  /// The function that a chunk returns.
  func function(_ code: String, with argument: ((LuaStack) -> Void)? = nil) throws -> LuaReference {
    let chunk = try host.interpreter.load(code, chunkName: "=benchmark")
    var arguments: [LuaValue] = []
    if let argument {
      arguments = [
        host.interpreter.withStack { stack in
          argument(stack)
          return stack.value(at: -1)
        } ?? .nil
      ]
    }
    guard
      let function = try host.interpreter.call(.reference(chunk), arguments).first?.referenceValue
    else { throw LuaError("the chunk returns no function") }
    return function
  }

  func call(_ function: LuaReference, _ units: Int) throws {
    _ = try host.interpreter.withStack { (stack: LuaStack) throws(LuaError) in
      stack.beginCall()
      stack.push(function)
      stack.push(units)
      try stack.call(arguments: 1, results: 0)
    }
  }

  func barePCalls(_ code: String, _ times: Int) throws {
    let function = try function(code)
    _ = host.interpreter.withStack { stack in
      stack.push(function)
      floor_pcalls(stack.state, Int32(times))
    }
  }
}

/// A line of the table. Blocks of both alternate, and the median counts.
private struct LuaRow {
  let units: Int
  /// What both do besides, which does not count.
  var beside: ((Int) throws -> Void)?

  private static let workload = getenv("LUA_WORKLOAD").map { String(cString: $0) }

  func print(
    _ title: String, goal: Double? = nil, _ ours: (Int) throws -> Void,
    floor: (Int) throws -> Void
  ) {
    if let workload = Self.workload, title.firstRange(of: workload) == nil { return }
    var times: (ours: [Double], floor: [Double], beside: [Double]) = ([], [], [])
    do {
      for _ in 0..<ratios.withLock({ $0.blocks }) {
        times.floor.append(try time(floor))
        times.ours.append(try time(ours))
        times.beside.append(try beside.map { try time($0) } ?? 0)
      }
    } catch { return Swift.print("\(title): \(error)") }
    let beside = median(times.beside)
    let (ours, floor) = (median(times.ours) - beside, median(times.floor) - beside)
    let ratio = ours / floor
    ratios.withLock { $0.note(title, ratio) }
    Swift.print(
      pad(title, -44), pad(decimal(ours, 1), 7), pad(decimal(floor, 1), 7),
      pad(decimal(ratio, 2), 7), pad(goal.map { decimal($0, 2) } ?? "", 6),
      goal.map { ratio > $0 } == true ? "  missed" : "")
  }

  private func time(_ body: (Int) throws -> Void) throws -> Double {
    try ContinuousClock().measure { try body(units) } / .nanoseconds(units)
  }
}
