import Platform
import Testing
import TextFiles

/// The guide's picture of a batch over two workers.
@Suite(
  "the picture of workers", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(2)))
struct ClusterPictureTests {
  private static let path =
    TextFile.packageFolder + "/Sources/RacletteCLI/RacletteCLI.docc/cluster.svg"

  /// Times and names that are the same in each run.
  private static let record = """
    UPDATE raclette.batch SET submitted = to_timestamp(1800000000), ended = to_timestamp(1800000003);
    UPDATE raclette.ended SET
      worker_name = CASE WHEN place % 2 = 0 THEN 'ada.example:377' ELSE 'bob.example:812' END,
      started = to_timestamp(1800000000.1 + (place - 1) / 4 * 0.95 + place % 4 * 0.06),
      duration = 0.5 + place * 37 % 11 * 0.03
    FROM raclette.entry WHERE entry.id = ended.entry
    """

  /// With `RACLETTE_WRITE_DOCS=1` in the environment the picture is drawn instead of compared.
  @Test("is what timeline draws")
  func picture() async throws {
    let place = ClusterFolder(
      """
      local rac = require "rac"
      rac.command{name = "resize", params = {{name = "n", type = "integer"}},
        run = function(input) if input.n == 7 then error("no picture", 0) end end}
      """)
    let plan = (1...12).map { #"{"command": "resize", "input": {"n": \#($0)}}"# }
    _ = await place.submit(plan)
    let worker = place.worker("--once")
    _ = await onThread { Running(worker).finish() }
    _ = await place.rows(Self.record)
    let drawn = await place.run(["timeline", "--svg", "-"])
    let lines = drawn.output.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    if getenv("RACLETTE_WRITE_DOCS").map({ String(cString: $0) }) == "1" {
      return try TextFile.write(lines, to: Self.path)
    }
    #expect(
      lines == (try TextFile(Self.path).lines),
      "RACLETTE_WRITE_DOCS=1 swift test draws the picture anew")
  }
}
