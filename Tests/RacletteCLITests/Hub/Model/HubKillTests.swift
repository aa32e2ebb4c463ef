import RunnerCore
import Testing

@testable import RunnerPanel
@testable import Scripting

/// Orders to kill services that are being ended, in virtual time.
@Suite("Kills of services", .timeLimit(.minutes(1)))
struct HubKillTests {
  /// Calls `body` with services that are ready, each with a user.
  private static func withServices(_ names: [String], _ body: (HubWorld) -> Void) throws {
    let world = try HubWorld()
    defer { world.close() }
    try world.load(
      Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }), "linger = 0, restart = \"never\"")
    for name in names {
      world.connect(name, staysWhenLost: false)
      world.settle()
      world.work(name)?.answer(true)
      world.settle()
    }
    body(world)
    #expect(world.problem == nil)
  }

  @Test("a later run ends in the ordinary way, although another service has not ended since")
  func laterRun() throws {
    try Self.withServices(["disk", "web"]) { world in
      world.end("disk")
      world.end("web")
      world.holder.kill([ServiceName("web")], unlessUsed: false)
      #expect(world.work("web")?.isKilled == true)
      #expect(world.work("disk")?.isKilled == false)
      world.work("web")?.end("it was killed")
      world.settle()
      world.connect("web", staysWhenLost: false)
      world.settle()
      world.end("web")
      world.settle()
      #expect(world.work("web")?.isStopped == true)
      #expect(world.work("web")?.isKilled == false)
    }
  }

  @Test("what a killed service needs is killed once it is being ended")
  func needed() throws {
    try Self.withServices(["disk", "db", "web"]) { world in
      world.end("web")
      for client in world.clients where client.name == "db" {
        world.leave(client, isKilled: false)
      }
      let ends = world.holder.kill([ServiceName("web")], unlessUsed: true)
      #expect(world.work("db")?.isKilled == false)
      world.work("web")?.end("it was killed")
      world.settle()
      #expect(world.work("db")?.isKilled == true)
      #expect(!ends.left(in: world.holder).isOver)
      world.work("db")?.end("it was killed")
      world.settle()
      // It goes on for its user.
      #expect(world.work("disk")?.isStopped == false)
      #expect(ends.left(in: world.holder).isOver)
    }
  }

  @Test("the end of a service is not awaited with that of another")
  func awaited() throws {
    try Self.withServices(["disk", "web"]) { world in
      world.end("disk")
      world.end("web")
      let ends = world.holder.ends(ofNames: [ServiceName("web")])
      #expect(!ends.isOver)
      world.work("web")?.end("it was cancelled")
      world.settle()
      #expect(ends.left(in: world.holder).isOver)
      #expect(world.holder.isEnding)
    }
  }
}

extension HubWorld {
  /// The run of a service.
  func work(_ name: String) -> HubWork? { works.first { $0.name == name } }
}
