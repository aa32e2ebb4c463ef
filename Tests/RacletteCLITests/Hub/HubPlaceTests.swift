import CSanitizer
import Platform
import Testing

/// Folders in which a hub cannot have what it needs.
@Suite("the place of a hub", .timeLimit(.minutes(5)))
struct HubPlaceTests {
  private static let canInject =
    !isSanitized()
    && spawnAndWait(["strace", "-qq", "-o", "/dev/null", "-e", "inject=flock:error=ENOLCK", "true"])
      == 0

  @Test(
    "names what a file system refuses, and what to do about it",
    .enabled(if: canInject, "needs strace (scripts/setup --tests), and ptrace"),
    arguments: [
      ("flock", "ENOLCK", "lock", "no locks available"),
      ("bind", "EOPNOTSUPP", "sock", "operation not supported"),
    ])
  func refused(call: String, error: String, file: String, reason: String) async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, run = "exec sleep 600", ready = {line = "up"}}
        """#)
    var launch = folder.launch(
      "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(call):error=\(error)", Program.path, "up",
      "-d")
    launch.program = "/usr/bin/strace"
    let up = await onThread { [launch] in Running(launch).finish() }
    #expect(
      up.errors == """
        raclette: error: db: the service has ended before it was ready: the hub of \
        \(folder.path)/commands.lua does not start: the hub cannot use '\(folder.file(file))': \
        \(reason); make '.raclette' a link to a folder that you own on a local disk

        """, "\(up)")
    #expect(up.status == 1)
  }

  @Test("is behind a link")
  func link() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, run = "echo up; exec sleep 600", ready = {line = "up"}}
        """#)
    folder.folder.makeFolder("elsewhere")
    symlink("elsewhere", folder.path + "/.raclette")
    #expect(
      await folder.call("up", "-d").errorLines.last == "raclette: db is held until 'raclette down'")
    #expect(Folder.names(in: folder.folder["elsewhere"]).contains("hub-\(getuid()).sock"))
    #expect(await folder.call("down").errors == "raclette: db has ended\n")
  }
}
