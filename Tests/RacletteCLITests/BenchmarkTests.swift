import Testing

@Suite("the benchmarks", .enabled(if: Folder.isThere("/proc/self/status")))
struct BenchmarkTests {
  /// It holds its memory for long enough to be seen.
  private static let script = #"local s = ("x"):rep(50 << 20) os.execute("sleep 0.5")"#

  /// The peak of a command line in MiB.
  private func peak(_ line: String) async throws -> Int {
    let run = await shell(
      "\(Program.benchmarks) --peak \(line)", in: Folder(["a.lua": Self.script]))
    return try #require(Int(run.output.dropLast()), "\(run)") / 1024
  }

  @Test("measure the memory of the process they name")
  func own() async throws {
    #expect(try await peak("lua5.4 a.lua") >= 50)
  }

  @Test("do not count the memory of what it starts")
  func others() async throws {
    #expect(try await (1..<20).contains(peak("sh -c 'lua5.4 a.lua; true'")))
  }
}
