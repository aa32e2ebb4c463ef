import EventLoop
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamTests {
  @Test func outputArrivesBeforeTheEnd() async throws {
    let run = try await shell("echo one; echo two")
    #expect(run.text == "one\ntwo\n")
    #expect(run.end == ProcessEnd(status: .exited(0), errorTail: [], wasTerminated: false))
  }

  @Test func nulsAndInvalidUTF8ArriveAsTheyAre() async throws {
    let run = try await shell(#"printf 'a\000\377\300\nb'"#)
    #expect(run.output == [97, 0, 255, 192, 10, 98])
  }

  @Test func largeOutputArrivesWholeAndInOrder() async throws {
    let last = 1_000_000
    let (count, sum) = try await withLoop { loop in
      var count = 0
      var sum = Checksum()
      try loop.spawn(
        ProcessRequest(["seq", "1", "\(last)"]),
        onOutput: {
          count += $0.count
          sum.add($0)
        }, onEnd: { _ in })
      loop.run()
      return (count, sum)
    }
    var expected = Checksum()
    var expectedCount = 0
    for number in 1...last {
      let line = Array("\(number)\n".utf8)
      expectedCount += line.count
      line.withUnsafeBytes { expected.add($0) }
    }
    #expect(count == expectedCount)
    #expect(sum == expected)
  }

  @Test func megabytesGoThroughCatAndBack() async throws {
    var random = SplitMix(state: 1)
    let sent = (0..<(1 << 19)).flatMap { _ in
      withUnsafeBytes(of: random.next()) { Array($0) }
    }
    let (received, outcomes, end) = try await withLoop { loop in
      var received: [UInt8] = []
      var outcomes: [InputOutcome] = []
      var end: ProcessEnd?
      var request = ProcessRequest(["cat"])
      request.input = .pipe
      let process = try loop.spawn(
        request, onOutput: { received += $0 }, onEnd: { end = $0 })
      let half = sent.count / 2
      process.write(Array(sent[..<half])) { outcomes.append($0) }
      process.write([]) { outcomes.append($0) }
      process.write(Array(sent[half...])) { outcomes.append($0) }
      process.closeInput()
      process.write([1]) { outcomes.append($0) }
      loop.run()
      return (received, outcomes, end)
    }
    #expect(received == sent)
    #expect(outcomes.filter { $0 == .written }.count == 3)
    #expect(outcomes.filter { $0 == .closed }.count == 1)
    #expect(end?.status == .exited(0))
  }

  @Test func aChildThatClosesItsInputEarlyEndsQuietly() async throws {
    let (text, outcomes, status) = try await withLoop { loop in
      var run = Run()
      var outcomes: [InputOutcome] = []
      var request = ProcessRequest(["head", "-c", "1"])
      request.input = .pipe
      let process = try loop.spawn(
        request, onOutput: { run.output += $0 }, onEnd: { run.end = $0 })
      let block = [UInt8](repeating: 65, count: 1 << 20)
      func send() {
        process.write(block) { outcome in
          outcomes.append(outcome)
          if outcome == .written { send() }
        }
      }
      send()
      loop.run()
      return (run.text, outcomes, run.status)
    }
    #expect(text == "A")
    #expect(outcomes.last == .closed)
    #expect(status == .exited(0))
  }

  @Test func completionsNeverComeInsideWrite() async throws {
    let isInside = try await withLoop { loop in
      var request = ProcessRequest(["cat"])
      request.input = .pipe
      request.output = .null
      let process = try loop.spawn(request, onEnd: { _ in })
      var isWriting = true
      var wasInside = false
      process.write([1]) { _ in wasInside = wasInside || isWriting }
      process.closeInput()
      process.write([2]) { _ in wasInside = wasInside || isWriting }
      isWriting = false
      loop.run()
      return wasInside
    }
    #expect(!isInside)
  }

  @Test func inputIsEmptyByDefault() async throws {
    let run = try await run { ProcessRequest(["cat"]) }
    #expect(run.end?.status == .exited(0))
    #expect(run.output == [])
  }

  @Test func aPausedChildBlocksUntilItIsResumed() async throws {
    let (wasDoneWhilePaused, chunksWhilePaused, total, isDone) = try await withLoop { loop in
      var total = 0
      var isPaused = false
      var chunksWhilePaused = 0
      var wasDoneWhilePaused = false
      var isDone = false
      var request = ProcessRequest([
        "sh", "-c", "head -c 8000000 /dev/zero; echo done >&2",
      ])
      request.errors = .forward { _ in isDone = true }
      var process: ChildProcess?
      process = try loop.spawn(
        request,
        onOutput: { chunk in
          if isPaused { chunksWhilePaused += 1 }
          if total == 0 {
            isPaused = true
            process?.pauseOutput()
            // A child that did not block would be through long before.
            loop.timer(after: .milliseconds(50)) {
              wasDoneWhilePaused = isDone
              isPaused = false
              process?.resumeOutput()
            }
          }
          total += chunk.count
        }, onEnd: { _ in })
      loop.run()
      process = nil
      return (wasDoneWhilePaused, chunksWhilePaused, total, isDone)
    }
    #expect(!wasDoneWhilePaused)
    #expect(chunksWhilePaused == 0)
    #expect(total == 8_000_000)
    #expect(isDone)
  }

  @Test func anEndlessPausedChildCanBeTerminated() async throws {
    let end = try await withLoop { loop in
      var end: ProcessEnd?
      var process: ChildProcess?
      process = try loop.spawn(
        ProcessRequest(["yes"]),
        onOutput: { _ in
          process?.pauseOutput()
          process?.terminate(grace: .seconds(60))
        }, onEnd: { end = $0 })
      loop.run()
      process = nil
      return end
    }
    #expect(end?.status == .signalled(15))
    #expect(end?.wasTerminated == true)
  }

  @Test func mergedErrorsKeepTheOrderOfTheWrites() async throws {
    let run = try await run {
      var request = ProcessRequest(["sh", "-c", "echo 1; echo 2 >&2; echo 3; echo 4 >&2"])
      request.errors = .mergeIntoOutput
      return request
    }
    #expect(run.text == "1\n2\n3\n4\n")
    #expect(run.end?.errorTail == [])
  }

  @Test func theTailOfErrorsIsItsLastTwentyLines() async throws {
    let run = try await run {
      var request = ProcessRequest(["sh", "-c", "seq 1 5000 >&2; echo out; exit 3"])
      request.errors = .capture
      return request
    }
    #expect(run.text == "out\n")
    #expect(run.end?.status == .exited(3))
    #expect(run.errorText == (4_981...5_000).map { "\($0)\n" }.joined())
  }

  @Test func forwardedErrorsArriveWholeAndLeaveATail() async throws {
    let (forwarded, tail) = try await withLoop { loop in
      var forwarded: [UInt8] = []
      var tail: [UInt8] = []
      var request = ProcessRequest(["sh", "-c", "seq 1 3000 >&2; printf last >&2"])
      request.errors = .forward { forwarded += $0 }
      try loop.spawn(request) { tail = $0.errorTail }
      loop.run()
      return (forwarded, tail)
    }
    #expect(forwarded == Array(((1...3_000).map { "\($0)\n" }.joined() + "last").utf8))
    #expect(tail == Array(((2_982...3_000).map { "\($0)\n" }.joined() + "last").utf8))
  }
}

/// FNV-1a, to compare streams that nobody wants to hold.
struct Checksum: Equatable, Sendable {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }
}
