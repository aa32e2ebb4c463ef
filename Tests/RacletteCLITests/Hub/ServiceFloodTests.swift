import Platform
import Testing

/// A service that prints more than anybody reads.
@Suite("a flood of a service", .timeLimit(.minutes(10)))
struct ServiceFloodTests {
  private static let megabytes = getenv("RACLETTE_LONG") == nil ? 32 : 1_024

  @Test("does not block it, and its record stays bounded")
  func bounded() async {
    let home = HubFolder(
      commands: #"""
        rac.command{name = "loud", service = true, ready = {line = "the end"}, ready_timeout = "5m",
          run = 'yes "$(printf %01000d 0)" | head -c \#(Self.megabytes)M; '
            .. "echo; echo the end; exec sleep 600"}
        """#)
    let up = await home.call("up", "-q", "-d")
    #expect(up.status == 0, "\(up)")
    let last = await home.call("logs", "loud", "-n", "1")
    #expect(last.output == "the end\n", "\(last)")
    let first = await shell(
      "{ raclette logs loud; echo $? >status; } | head -c 1; cat status", in: home.folder)
    #expect(first.output == "0141\n" && first.errors.isEmpty, "\(first)")
    for name in ["-loud.output", "-loud.output.1"] {
      var information = stat()
      #expect(stat("\(home.path)/.raclette/hub-\(getuid())\(name)", &information) == 0)
      #expect(information.st_size <= 4 << 20, "\(name)")
    }
    #expect(await home.call("down", "-q").status == 0)
  }
}
