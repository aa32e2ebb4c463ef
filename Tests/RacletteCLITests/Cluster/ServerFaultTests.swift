import Platform
import Testing

/// What becomes of a batch when the machine of the server fails.
@Suite("a server that fails", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct ServerFaultTests {
  private static let ended = "SELECT ended IS NOT NULL FROM raclette.batch"
  private static let states = "SELECT state, count(*) FROM raclette.ended GROUP BY state"

  @Test(
    "waits while its disk is full, says so, and loses nothing",
    .enabled(if: Disk.isAllowed, "this machine allows no file system in memory"))
  func fullDisk() async throws {
    let server = TestServer(
      ["fsync=off", "max_wal_size=32MB", "min_wal_size=32MB", "autovacuum=off"], on: .memory(160))
    defer { server.stop() }
    let place = ClusterFolder(
      """
      rac.command{name = "talk", concurrency = 10, params = {{name = "n", type = "integer"}},
        run = {"sh", "-c", "head -c 150000 /dev/urandom | base64; sleep 0.1"}}
      """, on: server)
    let plan = (1...120).map { #"{"command": "talk", "input": {"n": \#($0)}}"# }
    #expect(await place.submit(plan).status == 0)
    let launch = place.worker("--jobs", "4")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("t", "SELECT count(*) > 4 FROM raclette.ended"))
    let ballast = "\(server.folder)/ballast"
    spawnAndWait(["/bin/sh", "-c", "cat /dev/zero > '\(ballast)' 2>/dev/null"])
    // The server says it, or ends because it cannot write its log.
    let isTold = await onThread { worker.waitForErrors("; waiting for it") }
    #expect(isTold)
    unlink(ballast)
    if !server.isUp { server.restart() }
    #expect(await place.waitFor("t", Self.ended))
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.status == 0, "\(end)")
    #expect(end.errors.contains("is back"), "\(end)")
    #expect(await place.rows(Self.states) == ["completed|120"])
    let shown = await place.rows("SELECT count(DISTINCT entry) FROM raclette.ended")
    #expect(shown == ["120"])
  }

  @Test(
    "waits while the disk of its tables alone is full, and loses nothing",
    .enabled(if: Disk.isAllowed, "this machine allows no file system in memory"))
  func fullTablespace() async throws {
    let server = TestServer(["fsync=off", "autovacuum=off"])
    let disk = Disk.memory(48)
    let place = ClusterFolder(
      """
      rac.command{name = "talk", concurrency = 10, params = {{name = "n", type = "integer"}},
        run = {"sh", "-c", "head -c 150000 /dev/urandom | base64; sleep 0.5"}}
      """, on: server)
    let space = server.move(place.url, to: disk)
    defer { server.stop(leaving: disk, at: space) }
    let plan = (1...100).map { #"{"command": "talk", "input": {"n": \#($0)}}"# }
    #expect(await place.submit(plan).status == 0)
    let launch = place.worker("--jobs", "4")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("t", "SELECT count(*) > 4 FROM raclette.ended"))
    let ballast = "\(space)/ballast"
    spawnAndWait(["/bin/sh", "-c", "cat /dev/zero > '\(ballast)' 2>/dev/null"])
    let isTold = await onThread { worker.waitForErrors("; waiting for it") }
    #expect(isTold)
    unlink(ballast)
    #expect(await place.waitFor("t", Self.ended))
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.status == 0, "\(end)")
    #expect(end.errors.contains("No space left on device (53100); waiting for it"), "\(end)")
    #expect(end.errors.contains("is back"), "\(end)")
    #expect(await place.rows(Self.states) == ["completed|100"])
    #expect(await place.rows("SELECT count(DISTINCT entry) FROM raclette.ended") == ["100"])
  }

  @Test(
    "has what it has acknowledged after a power cut",
    .enabled(if: Disk.isAllowedInFile, "this machine allows no file system in a file"))
  func powerCut() async throws {
    let server = TestServer([], on: .file(300))
    defer { server.stop() }
    let place = ClusterFolder(
      """
      rac.command{name = "note", concurrency = 10, params = {{name = "n", type = "integer"}},
        run = function(input) return "note " .. input.n end}
      """, on: server)
    let plan = (1...3_000).map { #"{"command": "note", "input": {"n": \#($0)}}"# }
    #expect(await place.submit(plan).status == 0)
    let launch = place.worker("--jobs", "4")
    let worker = await onThread { Running(launch) }
    // A reader sees only what is committed.
    let follow = place.launch(["attach", "1", "--json"])
    let reader = await onThread { Running(follow) }
    await onThread { reader.waitForOutputLines(500) }
    await onThread {
      server.kill { #expect(Disk.losePower(server.folder)) }
      reader.get(signal: SIGKILL)
    }
    let seen = await onThread { reader.finish() }.lines
      .filter { $0.contains(#""type":"completed""#) }
      .compactMap { $0.firstMatch(of: #/"recorded":(\d+)/#).map { String($0.1) } }
    #expect(seen.count > 100)
    #expect(Disk.mountAgain(server.folder))
    server.removeLocks()
    server.start()
    let kept = await place.rows("SELECT entry FROM raclette.ended WHERE state = 'completed'")
    #expect(Set(seen).subtracting(kept) == [])
    #expect(await place.rows("SELECT count(*) FROM raclette.entry") == ["3000"])
    #expect(await place.waitFor("t", Self.ended))
    worker.get(signal: SIGTERM)
    _ = await onThread { worker.finish() }
    #expect(await place.rows(Self.states) == ["completed|3000"])
  }
}
