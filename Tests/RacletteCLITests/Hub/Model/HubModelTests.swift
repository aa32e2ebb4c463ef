import Platform
import Reactive
import Testing

@testable import RunnerPanel
@testable import Scripting

/// Random histories of a hub, its interpreters and its clients, beside what must hold at each moment.
@Suite("The services of a hub", .timeLimit(.minutes(20))) struct HubModelTests {
  @Test(arguments: 0..<(getenv("RACLETTE_LONG") != nil ? 100 : 4))
  func randomHistories(_ seed: Int) throws {
    for history in 0..<100 {
      let number = UInt64(seed * 100 + history)
      guard let problem = try Self.problem(number, steps: 40) else { continue }
      // The shortest history with this seed that shows it.
      let steps = try (1...40).first { try Self.problem(number, steps: $0) != nil } ?? 40
      let shortest = try Self.problem(number, steps: steps) ?? problem
      Issue.record("history \(number), \(steps) steps: \(shortest)")
      return
    }
  }

  private static func problem(_ number: UInt64, steps: Int) throws -> String? {
    var random = SeededGenerator(seed: number)
    let policy = ["never", "on-failure", "always"].randomElement(using: &random)!
    let linger = ["0", "0.3", "1"].randomElement(using: &random)!
    let rules = """
      restart = {policy = "\(policy)", delay = 0.1, times = \(Int.random(in: 0...2, using: &random))},
      linger = \(linger), on_lost = "wait"
      """
    var versions = ["disk": 1, "db": 1, "web": 1]
    let world = try HubWorld()
    defer { world.close() }
    try world.load(versions, rules)
    var log: [String] = []
    func step(_ name: String) { log.append(name) }
    for _ in 0..<steps {
      let name = HubWorld.names.randomElement(using: &random)!
      switch Int.random(in: 0..<20, using: &random) {
      case 0...3:
        step("user of \(name)")
        world.connect(name, staysWhenLost: Bool.random(using: &random))
      case 4, 5:
        if let client = world.clients.randomElement(using: &random) {
          step("leave \(client.name)")
          world.leave(client, isKilled: Bool.random(using: &random))
        }
      case 6...9:
        step("ready")
        world.works.randomElement(using: &random)?.answer(true)
      case 10:
        step("loss")
        world.works.randomElement(using: &random)?.answer(false)
      case 11:
        step("crash")
        world.works.randomElement(using: &random)?.end("it broke")
      case 12:
        step("exit")
        world.works.randomElement(using: &random)?.end(nil)
      case 13:
        step("end of stopped")
        world.works.filter(\.isStopped).randomElement(using: &random)?.end("it was cancelled")
      case 14:
        step("restart \(name)")
        world.restart(name)
      case 15:
        step("advance")
        world.advance(.milliseconds(Int.random(in: 1...12, using: &random) * 100))
      case 16:
        guard let command = world.command(name), Bool.random(using: &random) else { break }
        step("hold \(name)")
        world.hold(command)
      case 17:
        guard Int.random(in: 0..<3, using: &random) == 0 else { break }
        let ended = Bool.random(using: &random) ? name : nil
        step("down \(ended ?? "all")")
        world.end(ended)
      case 18:
        switch Int.random(in: 0..<4, using: &random) {
        case 0: break
        case 1: versions[name] = nil
        default: versions[name] = (versions[name] ?? 0) + 1
        }
        step("reload \(versions.sorted { $0.key < $1.key })")
        try world.load(versions, rules)
      default:
        guard Int.random(in: 0..<4, using: &random) == 0 else { break }
        step("kill the hub")
        try world.killHub(versions, rules)
      }
      world.settle()
      if let problem = problemNow(world) { return "\(problem)\n\(log.joined(separator: "; "))" }
    }
    let problem = try problemAtRest(world)
    return problem.map { "\($0)\n\(log.joined(separator: "; "))" }
  }

  /// What must hold whenever nothing is on its way.
  private static func problemNow(_ world: HubWorld) -> String? {
    if let problem = world.problem { return problem }
    if world.isDown, !world.holder.isEnding, let work = world.works.first {
      return "\(work.name) runs after all were ended"
    }
    for client in world.clients where !client.isAbandoned {
      let work = world.works.first { $0.name == client.name }
      let serves = work.map { $0.lastAnswer == true && !$0.isStopped } ?? false
      guard let last = client.states.last else {
        // It hears of the new start.
        if client.leavesWhenReady { continue }
        return "a user of \(client.name) was told nothing"
      }
      // Whoever comes after the order to end it waits for the next run.
      if last == .ending, world.holder.isEnding { continue }
      if last == .ready, !serves { return "a user is not told that \(client.name) is not ready" }
      if last != .ready, serves {
        return "a user is not told that \(client.name) is ready: \(last)"
      }
      if work == nil, [.starting, .unready, .ending].contains(last) {
        return "a user was told that \(client.name) is \(last), and nothing runs"
      }
    }
    return nil
  }

  /// What must hold once everything that can happen by itself has happened: nobody waits in vain; and
  /// after the last user has left, nothing is left, in the order of needs.
  private static func problemAtRest(_ world: HubWorld) throws -> String? {
    for _ in 0..<30 {
      for work in world.works {
        if work.isStopped { work.end("it was cancelled") } else { work.answer(true) }
        world.settle()
      }
      world.advance(.seconds(2))
      world.settle()
    }
    if let problem = problemNow(world) { return "at rest: \(problem)" }
    if world.holder.isEnding { return "what is ended never ends" }
    for client in world.clients {
      guard let last = client.states.last, last == .ready || last.isOver else {
        return "a user of \(client.name) waits in vain: \(client.states.suffix(5))"
      }
    }
    world.endsInOrder = true
    _ = world.holder.end(nil, because: "its hub has ended")
    for client in world.clients { world.leave(client, isKilled: false) }
    world.holder.close()
    for _ in 0..<30 {
      for work in world.works where work.isStopped { work.end("it was cancelled") }
      world.settle()
      world.advance(.seconds(2))
    }
    if let problem = world.problem { return "at the end: \(problem)" }
    if let work = world.works.first { return "\(work.name) survives" }
    if world.holder.isBusy || world.holder.isEnding { return "the hub never ends" }
    return nil
  }
}
