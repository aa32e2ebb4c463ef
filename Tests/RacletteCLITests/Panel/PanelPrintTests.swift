import Platform
import Testing

/// What a panel prints with `--json`, and to whom.
@Suite("what a panel prints", .timeLimit(.minutes(5)))
struct PanelPrintTests {
  /// Reads a pipe to its end.
  private func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var space = [UInt8](repeating: 0, count: 65_536)
    while case let count = uninterrupted({ read(descriptor, &space, space.count) }), count > 0 {
      bytes += space[..<count]
    }
    close(descriptor)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads a number of bytes of a pipe, or some more.
  private func readSome(_ descriptor: Int32, atLeast least: Int) -> String {
    var bytes: [UInt8] = []
    var space = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < least,
      case let count = uninterrupted({ read(descriptor, &space, space.count) }), count > 0
    {
      bytes += space[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("a program that does not read stops nothing, and gets all output later")
  func unread() async {
    await onThread {
      var output: Int32 = -1
      let panel = PanelProgram(
        Folder(commands: "rac.command{name = 'count', run = 'seq 100000'}"), printingTo: &output)
      let stream = panel.stream()
      stream.wait(for: "\"type\":\"stream\"")
      panel.wait(for: panel.execute("count"), "\"state\":\"completed\"")
      #expect(stream.wait(for: "\"type\":\"completed\""))
      #expect(panel.send("GET", "commands").status == 200)
      let text = Text(output)
      #expect(text.wait(for: "\"n\":99999,"))
      #expect(text.wait(for: "\"type\":\"completed\""))
      _ = panel.end()
      let lines = (text.text + readAll(output)).split(separator: "\n")
      let numbers = lines.compactMap { $0.firstMatch(of: /"seq":(\d+)/).flatMap { Int($0.1) } }
      #expect(numbers == Array(2..<numbers.count + 2), "in order, and none is missing")
      #expect(lines.last?.contains("\"type\":\"ending\"") == true)
    }
  }

  @Test("a program that reads too late is told how much it has missed")
  func gap() async {
    await onThread {
      var output: Int32 = -1
      let panel = PanelProgram(
        Folder(
          commands: """
            rac.command{name = "log", run = function()
              for i = 1, 20000 do
                rac.log.info("line " .. i)
                if i % 1000 == 0 then rac.sleep(0) end
              end end}
            rac.command{name = "count", run = "seq 50000"}
            """), printingTo: &output, ["-q", "--keep", "1"])
      for name in ["count", "log", "log"] {
        panel.wait(for: panel.execute(name), "\"state\":\"completed\"")
      }
      let text = Text(output)
      #expect(text.wait(for: "\"type\":\"gap\",\"missed\":"))
      #expect(text.wait(for: "\"message\":\"line 20000\""))
      _ = panel.end()
      let all = text.text + readAll(output)
      let missed = all.matches(of: /"missed":(\d+)/).compactMap { Int($0.1) }.reduce(0, +)
      let lines = all.split(separator: "\n")
      let last = lines.compactMap { $0.firstMatch(of: /"seq":(\d+)/).flatMap { Int($0.1) } }.max()
      // Each number but the first, of the address, was printed or counted.
      #expect(lines.count + missed == (last ?? 0) - 1)
    }
  }

  @Test(
    "messages that nobody reads stop nothing, and what was left out is counted",
    arguments: ["rac.log.warn(text)", "io.stderr:write(text, '\\n')"])
  func messages(_ shout: String) async {
    await onThread {
      let errors = makePipe()
      let folder = Folder(
        commands: """
          rac.command{name = "shout", run = function()
            local text = string.rep("x", 99999)
            for _ = 1, 40 do \(shout) end
          end}
          """)
      var launch = Launch(
        program: "/bin/bash",
        arguments: ["-c", #"exec "$raclette" panel --listen 127.0.0.1:0 2>&3"#],
        folder: folder.path, environment: ["raclette": Program.path])
      launch.descriptors = [3: errors.writing]
      let panel = PanelProgram(folder, launch)
      close(errors.writing)
      for _ in 1...2 {
        panel.wait(for: panel.execute("shout"), "\"state\":\"completed\"")
      }
      #expect(panel.send("GET", "commands").status == 200)
      // What waits is written while it is read, until the panel ends.
      let first = readSome(errors.reading, atLeast: 1 << 20)
      panel.running.get(signal: SIGINT)
      let text = first + readAll(errors.reading)
      let outcome = panel.running.finish()
      #expect(outcome.status == 130, "\(outcome)")
      let missed = text.firstMatch(of: /raclette: (\d+) bytes of messages were left out/)
      let shown = text.count { $0 == "x" || $0 == "\n" }
      #expect(Int(missed?.1 ?? "") ?? 0 > 6_000_000, "\(shown)")
      #expect(shown > 1 << 20)
    }
  }

  @Test("a reader that goes away ends the panel")
  func broken() async {
    await onThread {
      var output: Int32 = -1
      let panel = PanelProgram(
        Folder(commands: "rac.command{name = 'say', run = 'echo said'}"), printingTo: &output)
      close(output)
      // It may end before it has answered.
      _ = panel.send("POST", "commands/say/executions", "{}")
      let outcome = panel.running.finish()
      #expect(outcome.status == 141 || outcome.status == 143, "\(outcome)")
    }
  }

  /// What has been read of a pipe.
  private final class Text {
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads until a text has come; false at the end.
    func wait(for sought: String) -> Bool {
      var space = [UInt8](repeating: 0, count: 65_536)
      let sought = Array(sought.utf8)
      var start = 0
      while bytes[start...].firstRange(of: sought) == nil {
        start = max(0, bytes.count - sought.count)
        let count = uninterrupted { read(descriptor, &space, space.count) }
        if count <= 0 { return false }
        bytes += space[..<count]
      }
      return true
    }
  }
}
