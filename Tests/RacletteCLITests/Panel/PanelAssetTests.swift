import Platform
import Testing
import TextFiles

/// The files of the page, as the panel sends them.
@Suite("the panel's files", .timeLimit(.minutes(2)))
struct PanelAssetTests {
  private static let hasCurl =
    spawnAndWait(["/bin/sh", "-c", "command -v curl >/dev/null"]) == 0

  @Test("browsers get all of them in 150 kB, other clients as they are", .enabled(if: hasCurl))
  func sizes() async throws {
    let folder = Folder(commands: "rac.command{name = 'a', run = 'true'}")
    let panel = await RunningPanel(["--listen", "unix:panel.socket"], in: folder)
    let page = TextFile.packageFolder + "/Sources/RunnerPanel/Page"
    let get = "curl -sS --unix-socket panel.socket http://localhost"
    let outcome = await shell(
      """
      for file in $(ls \(page)); do
        \(get)/$file | cmp - \(page)/$file
        \(get)/$file -H 'Accept-Encoding: br, gzip;q=0' | cmp - \(page)/$file
        \(get)/$file -H 'Accept-Encoding: br, gzip;q=0.8' >$file.gz
        gzip -dc $file.gz | cmp - \(page)/$file
      done
      cat *.gz | wc -c
      """, in: folder)
    #expect(outcome.errors == "")
    // Nothing else: `cmp` would say what differs.
    let size = try #require(Int(outcome.output.filter { $0 != "\n" }), "\(outcome.output)")
    #expect(size <= 150_000)
    withExtendedLifetime(panel) {}
  }
}
