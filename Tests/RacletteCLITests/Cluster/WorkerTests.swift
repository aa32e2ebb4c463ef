import Testing

import Platform

/// What a worker does with what it claims.
@Suite("a worker", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct WorkerTests {
  private static let commands = """
    local rac = require "rac"
    rac.command{name = "tell", params = {{name = "n", type = "integer", default = 0}},
      run = {"sh", "-c", "echo attempt $RACLETTE_ATTEMPT, ${RACLETTE_TOKEN:+a token}, url $RACLETTE_JOURNAL"}}
    rac.command{name = "fail", run = "echo why >&2; exit 3"}
    rac.command{name = "hold", concurrency = 10, run = "while [ ! -e '@go' ]; do sleep 0.05; done; echo done"}
    rac.command{name = "forever", run = "echo begun; exec sleep 1000"}
    rac.command{name = "off", enabled = rac.just(false), run = "true"}
    rac.command{name = "note", concurrency = 10, run = function() return 1 end}
    """

  private func place() -> ClusterFolder {
    let place = ClusterFolder("")
    place.folder.write(
      Self.commands.split(separator: "@go", omittingEmptySubsequences: false)
        .joined(separator: place.folder["go"]), to: "commands.lua")
    return place
  }

  @Test("claims what needs tags only if it has them")
  func tags() async {
    let place = place()
    _ = await place.submit([#"{"command": "note", "tags": ["gpu"]}"#, #"{"command": "note"}"#])
    let plain = place.worker("--once")
    _ = await onThread { Running(plain).finish() }
    #expect(await place.rows("SELECT count(*) FROM raclette.ended") == ["1"])
    let tagged = place.worker("--once", "--tags", "eu,gpu")
    _ = await onThread { Running(tagged).finish() }
    #expect(await place.rows("SELECT count(*) FROM raclette.ended") == ["2"])
  }

  @Test("fails entries with the reason why their command file does not load here")
  func loading() async {
    let place = ClusterFolder(
      """
      if not io.open("plan.jsonl") then error("not on this machine") end
      rac.command{name = "note", run = "true"}
      """)
    _ = await place.submit([#"{"command": "note"}"#, #"{"command": "note"}"#])
    let worker = place.worker("--once")
    let run = await onThread { Running(worker).finish() }
    #expect(run.errors.contains("not on this machine"), "\(run)")
    let errors = await place.rows("SELECT error FROM raclette.ended")
    #expect(errors.count == 2 && errors.allSatisfy { $0.contains("not on this machine") })
  }
}
