import Reactive
import ReactiveTesting
import Testing

@Suite("Immediate and subscription schedulers")
struct ImmediateSchedulerTests {
  let log = Log()

  @Test("Work runs at once, and nested work after the work that scheduled it")
  func trampoline() {
    Scheduler.immediate.schedule {
      log.add("outer begins")
      Scheduler.immediate.schedule { log.add("inner") }
      log.add("outer ends")
    }
    #expect(log.lines == ["outer begins", "outer ends", "inner"])
  }

  @Test("The scheduler that is current outside is current inside its work, nested or not")
  func current() throws {
    let outer = TestScheduler()
    let note: @Sendable () -> Void = {
      let current = Scheduler.current
      log.add(current === outer ? "outer" : current == nil ? "none" : "another")
    }
    let nested: @Sendable () -> Void = {
      note()
      Scheduler.immediate.schedule(note)
    }
    Scheduler.immediate.schedule(nested)
    outer.schedule { Scheduler.immediate.schedule(nested) }
    try outer.run()
    #expect(log.lines == ["none", "none", "outer", "outer"])
  }

  @Test("Nested work that is disposed in time does not run")
  func disposal() {
    Scheduler.immediate.schedule {
      Scheduler.immediate.schedule { log.add("inner") }.dispose()
    }
    #expect(log.lines == [])
  }

  @Test("Work that nests a million deep uses no stack", .measuresStack, .timeLimit(.minutes(5)))
  func nesting() async {
    await onSmallStack {
      let rounds = Counter()
      nest(rounds)
      #expect(rounds.value == 1_000_000)
    }
  }

  @Test(
    "Delayed work does not block and runs under the queue that keeps its time",
    .timeLimit(.minutes(5)))
  func delayed() async {
    let done = AsyncStream<Bool>.makeStream()
    Scheduler.immediate.schedule(after: .milliseconds(1)) {
      done.continuation.yield(Scheduler.current is QueueScheduler)
    }
    log.add("returned")
    for await isCurrent in done.stream {
      #expect(isCurrent)
      break
    }
    #expect(log.lines == ["returned"])
  }

  @Test("The subscription scheduler runs inline when a scheduler is current")
  func inline() throws {
    let scheduler = TestScheduler()
    scheduler.schedule {
      Scheduler.subscription.schedule { log.add("inner") }
      log.add("outer")
    }
    try scheduler.run()
    #expect(log.lines == ["inner", "outer"])
  }

  @Test("The subscription scheduler works without a current scheduler", .timeLimit(.minutes(5)))
  func background() async {
    let done = AsyncStream<Bool>.makeStream()
    Scheduler.subscription.schedule {
      done.continuation.yield(Scheduler.current != nil)
    }
    for await hasCurrent in done.stream {
      #expect(hasCurrent)
      break
    }
  }
}

private func nest(_ rounds: Counter) {
  Scheduler.immediate.schedule {
    if rounds.increment() < 1_000_000 { nest(rounds) }
  }
}
