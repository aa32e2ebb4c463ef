import Testing

/// Journals on a server, of this version and of others.
@Suite(
  "the version of a journal on a server", .enabled(if: TestServer.isInstalled),
  .timeLimit(.minutes(10)))
struct ServerUpgradeTests {
  private let place = ClusterFolder(#"rac.command{name = "hi", run = "echo hi"}"#)

  @Test("is brought up to date by init, which leaves what waits")
  func again() async {
    #expect(await place.submit([#"{"command": "hi"}"#]).status == 0)
    let made = await place.run(["journal", "init", place.url])
    #expect(made.status == 0 && made.errors.contains("has version 4 already"), "\(made)")
    let worker = await place.run(["worker", "--once"])
    #expect(worker.status == 0, "\(worker)")
    #expect(await place.rows("SELECT state FROM raclette.ended") == ["completed"])
  }

  @Test(
    "is refused if no release has made it, or a later one",
    arguments: [
      3: "has version 3, which no release of raclette has made; remove it (DROP SCHEMA raclette "
        + "CASCADE), and make one with: raclette :journal init URL",
      99: "was made by a newer raclette: it has version 99, this one knows 4",
    ])
  func refused(version: Int, reason: String) async {
    _ = await place.rows("UPDATE raclette.schema_version SET number = \(version)")
    for call in [["worker", "--once"], ["journal", "init", place.url]] {
      let run = await place.run(call)
      #expect(run.status != 0 && run.errors.hasSuffix("\(reason)\n"), "\(run)")
    }
    #expect(await place.rows("SELECT number FROM raclette.schema_version") == ["\(version)"])
  }
}
