import Testing

/// A journal on a server that an earlier version of the program has made.
@Suite(
  "a journal of an earlier version", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(10)))
struct ServerUpgradeTests {

  @Test("is brought up to date with what waits in it and what has ended", arguments: [1, 2])
  func upgrade(version: Int) async throws {
    let place = ClusterFolder(#"rac.command{name = "hi", run = "echo hi"}"#)
    _ = await place.rows("DROP SCHEMA raclette CASCADE")
    #expect(await place.execute(fixture: "journal-version-\(version)"))
    let early = await place.run(["worker", "--once"])
    #expect(early.errors.contains("has the earlier version \(version)"), "\(early)")
    for told in ["from version \(version) to 3", "has version 3 already"] {
      let made = await place.run(["journal", "init", place.url])
      #expect(made.status == 0 && made.errors.contains(told), "\(made)")
    }
    #expect(await place.submit([#"{"command": "hi"}"#]).status == 0)
    let worker = await place.run(["worker", "--once"])
    #expect(worker.status == 0, "\(worker)")
    let states = await place.rows(
      "SELECT batch, state, count(*) FROM raclette.ended GROUP BY 1, 2 ORDER BY 1")
    #expect(states == ["1|completed|2", "2|cancelled|2", "7|completed|1"])
    let attached = await place.run(["attach", "1", "--progress", "never"])
    #expect(attached.status == 0 && attached.output == "hi\nhi\n", "\(attached)")
  }
}
