import Platform
import Testing

/// The bundles that a worker keeps on its machine.
@Suite("bundles of a worker", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct BundleCacheTests {
  private static let refusals = "SELECT count(*) FROM raclette.refusal"
  private func place() -> ClusterFolder {
    ClusterFolder(#"rac.command{name = "note", run = "true"}"#)
  }

  @Test("are fetched again when they could not be kept, and the batch goes on")
  func fullDisk() async {
    let place = place()
    _ = await place.submit([#"{"command": "note"}"#])
    // A file in the place of the folder.
    place.folder.write("", to: "cache/raclette/bundles")
    let launch = place.worker("--jobs", "1")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("1", Self.refusals))
    // The claim is given back behind the refusal.
    #expect(await place.waitFor("1|0", "SELECT count(*), max(losses) FROM raclette.queue"))
    unlink(place.folder["cache/raclette/bundles"])
    #expect(await place.waitFor("completed", "SELECT state FROM raclette.ended"))
    #expect(await place.rows(Self.refusals) == ["0"])
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.errors.contains("can be executed here again"), "\(end)")
  }

  @Test("let the batch go on also when the server could not be asked for its entries at first")
  func failedAcceptance() async {
    let place = place()
    _ = await place.submit([#"{"command": "note"}"#])
    place.folder.write("", to: "cache/raclette/bundles")
    let launch = place.worker("--jobs", "1")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("1", Self.refusals))
    _ = await place.rows("ALTER FUNCTION raclette.accept RENAME TO later")
    unlink(place.folder["cache/raclette/bundles"])
    #expect(await onThread { worker.waitForErrors("holds no journal") })
    #expect(await place.rows("SELECT count(*) FROM raclette.queue") == ["1"])
    _ = await place.rows("ALTER FUNCTION raclette.later RENAME TO accept")
    #expect(await place.waitFor("completed", "SELECT state FROM raclette.ended"))
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.errors.contains("can be executed here again"), "\(end)")
    #expect(end.status == 0)
  }

  @Test("leave no part behind if they are damaged")
  func damage() async {
    let place = place()
    _ = await place.submit([#"{"command": "note"}"#])
    _ = await place.rows("UPDATE raclette.blob SET bytes = 'x'")
    let worker = await place.run(["worker", "--once"])
    #expect(worker.errors.contains("the bundle is damaged"), "\(worker)")
    #expect(names(inFolder: place.folder["cache/raclette/bundles"]) == [])
  }

  @Test("go when they have not been used for long, and parts of others go earlier")
  func age() async throws {
    let place = place()
    let bundles = place.folder["cache/raclette/bundles"]
    for (name, days) in [("old", 31), ("young", 29), ("old.part", 2), ("young.part", 0)] {
      place.folder.write("", to: "cache/raclette/bundles/\(name)/file")
      let used = timeval(tv_sec: time(nil) - days * 86_400, tv_usec: 0)
      #expect(utimes("\(bundles)/\(name)", [used, used]) == 0)
    }
    _ = await place.submit([#"{"command": "note"}"#])
    let worker = await place.run(["worker", "--once"])
    #expect(worker.status == 0, "\(worker)")
    let left = try #require(names(inFolder: bundles)).filter { $0.utf8.count < 20 }
    #expect(left.sorted() == ["young", "young.part"])
  }
}
