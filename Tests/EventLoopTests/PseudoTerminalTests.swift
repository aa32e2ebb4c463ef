import EventLoop
import Platform
import Testing

@Suite("A child with a terminal of its own", .timeLimit(.minutes(5)))
struct PseudoTerminalTests {
  @Test func hasItsSizeAndItsSessionAndSendsItsLines() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var request = ProcessRequest([
      "/bin/sh", "-c", "stty size </dev/tty; [ -t 1 ] && [ -t 2 ] && echo tty; echo e >&2; exit 3",
    ])
    request.output = .terminal(TerminalSize(rows: 12, columns: 34))
    request.errors = .mergeIntoOutput
    var output: [UInt8] = []
    var end: ProcessEnd?
    let child = try loop.spawn(request, onOutput: { output += $0 }, onEnd: { end = $0 })
    #expect(getsid(child.processID) == child.processID)
    loop.run()
    #expect(String(decoding: output, as: UTF8.self) == "12 34\ntty\ne\n")
    #expect(end?.status == .exited(3))
  }

  /// Each is a session of its own, as processes are that have escaped from their group and that the
  /// loop only reaps.
  @Test func keepsItsStatusWhileOthersEnd() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var codes: [Int32: Int] = [:]
    for number in 0..<200 {
      var request = ProcessRequest(["/bin/sh", "-c", "exit \(number % 7 + 1)"])
      request.output = .terminal(TerminalSize(rows: 24, columns: 80))
      try loop.spawn(request) {
        if case .exited(let code) = $0.status { codes[code, default: 0] += 1 }
      }
      if number % 20 == 19 { loop.poll() }
    }
    loop.run()
    #expect(codes.values.reduce(0, +) == 200)
    #expect(codes[1] == 29 && codes[7] == 28)
  }

  /// As the programs of coreutils do. The pause is the program's: time in which it would be ended.
  @Test func mayCloseItsOutputBeforeItEnds() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var request = ProcessRequest([
      "/bin/sh", "-c", "echo last; exec </dev/null >&- 2>&-; sleep 0.1; exit 4",
    ])
    request.output = .terminal(TerminalSize(rows: 24, columns: 80))
    request.errors = .mergeIntoOutput
    var output: [UInt8] = []
    var end: ProcessEnd?
    try loop.spawn(request, onOutput: { output += $0 }, onEnd: { end = $0 })
    loop.run()
    #expect(String(decoding: output, as: UTF8.self) == "last\n")
    #expect(end?.status == .exited(4))
  }

  /// More than a terminal holds, written right before the end.
  @Test func losesNothingAtItsEnd() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var request = ProcessRequest(["/bin/sh", "-c", "seq 20000"])
    request.output = .terminal(TerminalSize(rows: 24, columns: 80))
    var lines = 0
    try loop.spawn(
      request, onOutput: { lines += $0.count { $0 == 10 } }, onEnd: { _ in })
    loop.run()
    #expect(lines == 20_000)
  }

  @Test func endsWithItsGroup() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var request = ProcessRequest(["/bin/sh", "-c", "sleep 1000 & echo ready; wait"])
    request.output = .terminal(TerminalSize(rows: 24, columns: 80))
    var child: ChildProcess?
    var end: ProcessEnd?
    child = try loop.spawn(
      request, onOutput: { _ in child?.terminate(grace: .seconds(60)) }, onEnd: { end = $0 })
    loop.run()
    #expect(end?.wasTerminated == true)
    #expect(end?.status == .signalled(SIGTERM))
  }
}
