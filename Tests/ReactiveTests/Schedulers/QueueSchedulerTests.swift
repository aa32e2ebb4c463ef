import Dispatch
import Reactive
import Testing

@Suite("Background and queue schedulers", .timeLimit(.minutes(5)))
struct QueueSchedulerTests {
  let log = Log()

  /// Waits until everything scheduled before has run.
  private func drain(_ scheduler: Scheduler) async {
    await withCheckedContinuation { continuation in
      scheduler.schedule { continuation.resume() }
    }
  }

  @Test("Work runs in order, one piece at a time, never inline")
  func order() async {
    let scheduler = Scheduler.background()
    let running = Counter()
    for number in 0..<100 {
      scheduler.schedule { [log] in
        if running.increment() != number + 1 { log.add("out of order: \(number)") }
      }
    }
    scheduler.schedule { scheduler.schedule { running.increment() } }
    await drain(scheduler)
    await drain(scheduler)
    #expect(running.value == 101)
    #expect(log.lines == [])
  }

  @Test("The scheduler is current in its work, delayed and repeated work too")
  func current() async {
    let scheduler = Scheduler.background()
    let seen = AsyncStream<Bool>.makeStream()
    scheduler.schedule { seen.continuation.yield(Scheduler.current === scheduler) }
    scheduler.schedule(after: .milliseconds(1)) {
      seen.continuation.yield(Scheduler.current === scheduler)
    }
    let timer = scheduler.schedule(every: .milliseconds(1)) {
      seen.continuation.yield(Scheduler.current === scheduler)
    }
    var count = 0
    for await isCurrent in seen.stream {
      #expect(isCurrent)
      count += 1
      if count == 5 { break }
    }
    timer.dispose()
  }

  @Test("Disposed work does not run and is released at once")
  func disposal() async {
    let scheduler = Scheduler.background()
    let lives = Lives()
    let work = [
      scheduler.schedule(after: .seconds(3600)) { [token = lives.token()] in token.touch() },
      scheduler.schedule(every: .seconds(3600)) { [token = lives.token()] in token.touch() },
    ]
    #expect(lives.count == 2)
    for item in work { item.dispose() }
    #expect(lives.count == 0)
  }

  @Test("Work that has run is released although its disposable is kept")
  func release() async {
    let scheduler = Scheduler.background()
    let lives = Lives()
    let work = scheduler.schedule { [token = lives.token()] in token.touch() }
    await drain(scheduler)
    #expect(lives.count == 0)
    work.dispose()
  }

  @Test("Delayed work never runs early, on a monotonic clock")
  func delay() async {
    let scheduler = Scheduler.background()
    let begin = scheduler.now
    await withCheckedContinuation { continuation in
      scheduler.schedule(after: .milliseconds(5)) { continuation.resume() }
    }
    #expect(scheduler.now - begin >= .milliseconds(5))
  }

  @Test("Repeated work ends when it is disposed from inside")
  func repeated() async {
    let scheduler = Scheduler.background()
    let rounds = Counter()
    await withCheckedContinuation { continuation in
      let timer = SerialDisposable()
      timer.inner = scheduler.schedule(every: .milliseconds(1)) {
        guard rounds.increment() == 3 else { return }
        timer.dispose()
        continuation.resume()
      }
    }
    await drain(scheduler)
    #expect(rounds.value == 3)
  }

  @Test("A scheduler on a target queue runs there")
  func target() async {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "target")
    queue.setSpecific(key: key, value: "here")
    let scheduler = QueueScheduler(target: queue)
    let place = await withCheckedContinuation { continuation in
      scheduler.schedule { continuation.resume(returning: DispatchQueue.getSpecific(key: key)) }
    }
    #expect(place == "here")
  }

  @Test("A scheduler of a given queue runs directly on it, in order with what else is put there")
  func direct() async {
    let (queue, log) = (DispatchQueue(label: "given"), Log())
    let scheduler = QueueScheduler(queue: queue)
    await withCheckedContinuation { continuation in
      // Nothing runs before all is put there.
      queue.async {
        scheduler.schedule { log.add("first \(Scheduler.current === scheduler)") }
        queue.async { log.add("second") }
        scheduler.schedule { log.add("third") }
        queue.async { continuation.resume() }
      }
    }
    #expect(log.lines == ["first true", "second", "third"])
  }

  @Test(
    "A scheduler's queue has the quality of service of its priority",
    arguments: [
      (Scheduler.Priority.high, DispatchQoS.userInitiated), (.default, .default),
      (.low, .utility), (.background, .background),
    ])
  func priorities(_ priority: Scheduler.Priority, _ expected: DispatchQoS) async throws {
    let scheduler = try #require(Scheduler.background(priority: priority) as? QueueScheduler)
    #expect(scheduler.queue.qos == expected)
    await withCheckedContinuation { continuation in
      scheduler.schedule { continuation.resume() }
    }
  }

  @Test("Recursive work that asks later is scheduled anew, and ends at disposal")
  func recursionLater() async {
    let scheduler = Scheduler.background()
    let rounds = Counter()
    let steps = AsyncStream<@Sendable () -> Void>.makeStream()
    let recursion = scheduler.scheduleRecursively { again in
      rounds.increment()
      steps.continuation.yield(again)
    }
    var iterator = steps.stream.makeAsyncIterator()
    for _ in 0..<3 { await iterator.next()?() }
    let last = await iterator.next()
    #expect(rounds.value == 4)
    recursion.dispose()
    last?()
    await drain(scheduler)
    #expect(rounds.value == 4)
  }
}
