import Commands
import Reactive
import ReactiveTesting
import Synchronization
import Testing
import TextFiles

/// The examples of the guide, as they stand there.
@Suite("The guide to commands")
struct GuideTests {
  private struct Unreachable: Error {}

  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
  }

  @Test("Every example of the guide is among these tests")
  func examples() throws {
    let guide = try Guide("Sources/Commands/Commands.docc/Commands.md")
    #expect(guide.examples.count == 4)
    #expect(try guide.examples(missingIn: #filePath) == [])
  }

  @Test("Executing, and being rejected")
  func executing() throws {
    let scheduler = TestScheduler()
    let lines = Journal()
    let isOnline = BehaviorSubject(true)
    let upload = Command<String, Int>(
      name: "upload", enabled: isOnline, scheduler: scheduler
    ) { file in
      Signal.from([50, 100])
    }
    upload.executions.subscribe(next: { upload in
      upload.subscribe(
        next: { percent in lines.note("\(upload.input): \(percent) %") },
        completed: { lines.note("\(upload.input) is there") })
    })
    upload.execute("a.txt")
    try scheduler.run()
    #expect(lines.take() == ["a.txt: 50 %", "a.txt: 100 %", "a.txt is there"])

    isOnline.sendNext(false)
    upload.disabledErrors.subscribe(next: { lines.note("\($0)") })
    let rejected = upload.execute("b.txt")
    try scheduler.run()
    #expect(rejected.state == .failed)
    #expect(lines.take() == ["the command 'upload' is not enabled: its condition is false"])
  }

  @Test("Restarting")
  func restarting() throws {
    let scheduler = TestScheduler()
    let lines = Journal()
    let search = Command<String, String>(scheduler: scheduler, whenBusy: .restart) { text in
      Signal.just("results for \(text)").delay(.seconds(1), on: scheduler)
    }
    search.executionSignals.switchToLatest().subscribe(next: { lines.note($0) })
    for text in ["r", "ra", "rac"] { search.execute(text) }
    try scheduler.run()
    #expect(lines.take() == ["results for rac"])
  }

  @Test("Retrying")
  func retrying() throws {
    let scheduler = TestScheduler()
    let lines = Journal()
    let failures = Counter()
    let flaky = Command<Void, String>(
      scheduler: scheduler,
      options: ExecutionOptions(
        timeout: .seconds(60), retry: .init(times: 3, delay: .seconds(1), backoff: 2))
    ) { _ in
      Signal.defer { failures.next() < 2 ? .error(Unreachable()) : .just("reached") }
    }
    let execution = flaky.execute(())
    execution.attempts.subscribe(next: { lines.note("attempt \($0.number) after \($0.delay)") })
    execution.subscribe(next: { lines.note($0) })
    try scheduler.run()
    #expect(
      lines.take() == [
        "attempt 1 after 0.0 seconds", "attempt 2 after 1.0 seconds",
        "attempt 3 after 2.0 seconds", "reached",
      ])
  }
}
