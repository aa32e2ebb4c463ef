import RunnerCore
import Testing

@testable import RunnerPanel
@testable import Scripting

/// The variables that services begin with, in virtual time.
@Suite("callers of services", .timeLimit(.minutes(1)))
struct HubCallerTests {
  /// Calls `body` with a world in which a client has started `web`, which needs `db` and `disk`.
  private static func withWeb(_ body: (HubWorld, HubTestClient) throws -> Void) throws {
    let world = try HubWorld()
    defer { world.close() }
    try load(1, world)
    world.connect("web", staysWhenLost: false)
    settle(world)
    try body(world, try #require(world.clients.first))
    #expect(world.problem == nil)
  }

  private static func load(_ version: Int, _ world: HubWorld) throws {
    try world.load(
      ["disk": version, "db": version, "web": version],
      "linger = 0, restart = {policy = \"on-failure\", delay = 0}")
  }

  /// Lets all that is started become ready.
  private static func settle(_ world: HubWorld) {
    for name in HubWorld.names {
      world.settle()
      world.work(name)?.answer(true)
    }
    world.settle()
  }

  @Test("what a service needs begins with its variables, and keeps them when it is started again")
  func needed() throws {
    try Self.withWeb { world, client in
      world.connect("db", staysWhenLost: false)
      Self.settle(world)
      for name in HubWorld.names { #expect(world.work(name)?.caller === client.caller, "\(name)") }
      world.work("web")?.end("it broke")
      world.advance(.zero)
      Self.settle(world)
      #expect(world.work("web")?.caller === client.caller)
    }
  }

  @Test("a restart takes those of its own caller, also with a changed definition")
  func restart() throws {
    try Self.withWeb { world, client in
      for version in 1...2 {
        try Self.load(version, world)
        world.restart("web")
        let caller = world.clients.last?.caller
        world.settle()
        world.work("web")?.end(nil)
        Self.settle(world)
        #expect(world.work("web")?.caller === caller, "\(version)")
        #expect(world.work("db")?.caller === client.caller)
      }
    }
  }

  @Test("what has ended begins with those of who starts it again, although others have stayed")
  func stayed() throws {
    let world = try HubWorld()
    defer { world.close() }
    try Self.load(1, world)
    world.connect("disk", staysWhenLost: true)
    Self.settle(world)
    world.end("disk")
    world.settle()
    world.work("disk")?.end(nil)
    world.settle()
    for version in 1...2 {
      try Self.load(version, world)
      world.restart("disk")
      let caller = world.clients.last?.caller
      Self.settle(world)
      #expect(world.work("disk")?.caller === caller, "\(version)")
      world.end("disk")
      world.settle()
      world.work("disk")?.end(nil)
      world.settle()
    }
    #expect(world.problem == nil)
  }
}
