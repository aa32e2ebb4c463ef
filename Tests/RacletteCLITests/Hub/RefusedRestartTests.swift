import Testing

/// Services that cannot be started again, and go on.
@Suite("services that are not restarted", .timeLimit(.minutes(5)))
struct RefusedRestartTests {
  private let folder = HubFolder(
    commands: #"""
      rac.command{name = "db", service = true, ready = {line = "up"}, env_file = "db.env",
        run = "echo begins >>log; echo up; exec sleep 600"}
      """#)

  private static let problem =
    "db.env:1: the variable 'b' is not set; write ${b:-} for an empty value, or \\$ for a dollar sign"

  @Test("keep running while their files of variables cannot be read")
  func variables() async {
    folder.folder.write("TOKEN=one\n", to: "db.env")
    _ = await folder.call("up", "-d")
    folder.folder.write("TOKEN=a$b\n", to: "db.env")
    let refused = await folder.call("restart", "db")
    #expect(
      refused.errors == """
        raclette: error: 'db' keeps running unchanged: \(Self.problem); to end it: raclette :down db

        """)
    #expect(refused.status == 2)
    #expect(folder.log == "begins\n")
    folder.folder.write("TOKEN=two\n", to: "db.env")
    let restarted = await folder.call("restart", "db")
    #expect(restarted.errors == "raclette: db has restarted\n")
    #expect(folder.log == "begins\nbegins\n")
  }
}
