import Platform
import Testing
import TextFiles

@Suite("standard output that goes away", .timeLimit(.minutes(5)))
struct OutputTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "emit", run = function(_, emit) while true do emit("x") end end}
      rac.command{name = "child", run = function() return rac.exec{"yes", ("y"):rep(999)} end}
      rac.command{name = "once", run = function() return "x" end}
      rac.command{name = "much", run = function()
        io.write("before\\n")
        return rac.exec{"seq", "20000"}:concat(rac.just("after"))
      end}
      """)

  @Test(
    "a reader that has seen enough ends the run without a word, as it ends any program",
    arguments: [
      "run emit", "run child", "exec -e 'while true do print(1) end'",
      "exec -e 'while true do io.write(1) end'",
      "exec -e 'while true do pcall(print, 1) end'",
      "exec -e 'rac.exec{\"yes\"}:subscribe(print)'",
    ])
  func brokenPipe(words: String) async {
    let run = await shell(
      "{ raclette \(words); echo $? >status; } | head -c 1; cat status", in: folder)
    #expect(run.output.hasSuffix("141\n"))
    #expect(run.errors == "")
  }

  @Test(
    "a reader that has gone ends what prints after its work, too",
    arguments: ["help", "help emit", "list", "-n once", "exec -e 'print(1)'"])
  func goneReader(words: String) async {
    let run = await shell("exec 3> >(:); wait $!; raclette \(words) >&3; echo $?", in: folder)
    #expect(run.output == "141\n" && run.errors == "", "\(run)")
  }

  @Test("many lines at once come behind what a script has written and not flushed")
  func order() async {
    let run = await raclette("run", "much", in: folder)
    let lines = ["before"] + (1...20_000).map(String.init) + ["after"]
    #expect(run.output == lines.joined(separator: "\n") + "\n")
  }

  @Test(
    "a full pipe that does not block gets everything as soon as there is room",
    arguments: [
      "for i = 1, 20000 do print(i) end", "for i = 1, 20000 do assert(io.write(i, '\\n')) end",
      "rac.exec{'seq', '20000'}:subscribe(print)",
    ])
  func nonBlocking(code: String) async {
    let (reading, writing) = makePipe()
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    let launch = Launch(arguments: ["-e", code], output: .descriptor(writing))
    let (run, text) = await onThread {
      let running = Running(launch)
      closeDescriptor(writing)
      // It holds 64 KiB on Linux.
      eventually {
        var count: Int32 = 0
        _ = ioctl(reading, UInt(FIONREAD), &count)
        return count >= 61_440
      }
      var text: [UInt8] = []
      var space = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = uninterrupted {
          space.withUnsafeMutableBytes { readBytes(from: reading, into: $0) }
        }
        guard count > 0 else { break }
        text += space[..<count]
      }
      return (running.finish(), text)
    }
    closeDescriptor(reading)
    #expect(text == Array((1...20_000).map { "\($0)\n" }.joined().utf8))
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test("children may close their input without harm")
  func childInput() async {
    let run = await raclette(
      "-e", "rac.exec{'true', stdin = ('x'):rep(1e6)}:wait() print('on')", in: folder)
    #expect(run.output == "on\n")
    #expect(run.status == 0)
  }

  @Test(
    "a full disk is told once, with status 1",
    .enabled(if: Folder.hasFullDevice),
    arguments: [
      ["run", "emit"], ["run", "child"], ["run", "once"], ["list"], ["list", "--json"], ["--help"],
      ["--version"], ["help", "run"],
    ])
  func fullDisk(words: [String]) async {
    let launch = Launch(arguments: words, folder: folder.path, output: .file("/dev/full"))
    let run = await onThread { Running(launch).finish() }
    #expect(
      run.errors
        == "raclette: error: cannot write to standard output: no space left on device\n")
    #expect(run.status == 1)
  }

  @Test("what a script itself could not write is told too", .enabled(if: Folder.hasFullDevice))
  func fullDiskOfScript() async {
    for code in ["print(1)", "io.write(1)"] {
      let launch = Launch(arguments: ["-e", code], output: .file("/dev/full"))
      let run = await onThread { Running(launch).finish() }
      #expect(run.errors.hasPrefix("raclette: error: cannot write to standard output"))
      #expect(run.errorLines.count == 1)
      #expect(run.status == 1)
    }
  }

  @Test(
    "one that was closed from the start is told, and no other file takes its place",
    arguments: [["run", "once"], ["run", "child"], ["--version"]])
  func closed(words: [String]) async {
    let launch = Launch(arguments: words, folder: folder.path, output: .closed)
    let run = await onThread { Running(launch).finish() }
    #expect(run.errors == "raclette: error: cannot write to standard output: bad file descriptor\n")
    #expect(run.status == 1)
  }

  @Test("a closed standard input reads as nothing")
  func closedInput() async {
    let launch = Launch(arguments: ["-e", "print((io.read()))"], input: .closed)
    let run = await onThread { Running(launch).finish() }
    #expect(run.output == "nil\n")
    #expect(run.status == 0)
  }
}

/// The system's `close`, which the suite hides.
private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

extension Folder {
  /// Whether the system has a file on which every write fails.
  static var hasFullDevice: Bool { Folder.isThere("/dev/full") }
}
