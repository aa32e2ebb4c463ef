import Testing

@Suite("show", .timeLimit(.minutes(5)))
struct ShowTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "build", cwd = "sub", sources = {"*.c", "!x.c"}, outputs = "app",
        depfile = "app.d", cache = true, run = "true"}
      rac.command{name = "asks", sources = function() return "a" end,
        outputs = {rac.lazy(function() return "b" end)}, fingerprint = function() return 1 end,
        run = "true"}
      rac.command{name = "plain", run = "true"}
      """)

  @Test("tells which files a command names, and whether its results are kept")
  func files() async {
    func rows(_ name: String) async -> [String] {
      await raclette("show", name, in: folder).lines.filter { line in
        ["Sources", "Outputs", "Depfile", "Fingerprint", "Cached"].contains {
          line.hasPrefix($0 + ":")
        }
      }
    }
    #expect(
      await rows("build") == [
        "Sources: sub/*.c, !sub/x.c", "Outputs: sub/app", "Depfile: sub/app.d", "Cached:  yes",
      ])
    #expect(
      await rows("asks") == [
        "Sources:     what its function returns for the input",
        "Outputs:     computed when it is executed",
        "Fingerprint: what its function returns for the input",
      ])
    #expect(await rows("plain") == [])
  }

  @Test("has them in its JSON, with null for what is computed")
  func json() async {
    let build = await raclette("show", "--json", "build", in: folder)
    #expect(
      build.output.contains(
        #","sources":["sub/*.c","!sub/x.c"],"outputs":["sub/app"],"depfile":["sub/app.d"],"cache":true,"#
      ), "\(build)")
    let asks = await raclette("show", "--json", "asks", in: folder)
    #expect(
      asks.output.contains(#","sources":null,"outputs":null,"fingerprint":true,"#), "\(asks)")
    let plain = await raclette("show", "--json", "plain", in: folder)
    #expect(plain.status == 0 && !plain.output.contains("sources"), "\(plain)")
  }
}
