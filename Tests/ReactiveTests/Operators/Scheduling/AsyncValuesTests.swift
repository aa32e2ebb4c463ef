import Reactive
import ReactiveTesting
import Testing

@Suite("values, from(async sequence)")
struct AsyncValuesTests {
  @Test("values iterates over all values and ends with the signal")
  func all() async throws {
    var received: [Int] = []
    for try await value in Signal.from(1...3).values { received.append(value) }
    #expect(received == [1, 2, 3])
  }

  @Test("values throws the error after the values before it")
  func error() async {
    var received: [Int] = []
    let signal = Signal<Int>.create { subscriber in
      subscriber.sendNext(1)
      subscriber.sendError(MarbleError.failure)
      return nil
    }
    await #expect(throws: MarbleError.failure) {
      for try await value in signal.values { received.append(value) }
    }
    #expect(received == [1])
  }

  @Test("Each iteration is a subscription of its own")
  func iterations() async throws {
    let count = Counter()
    let values = Signal<Int>.defer { .just(count.increment()) }.values
    var received: [Int] = []
    for try await value in values { received.append(value) }
    for try await value in values { received.append(value) }
    #expect(received == [1, 2])
  }

  @Test("Leaving the iteration disposes the source", .timeLimit(.minutes(5)))
  func leaving() async throws {
    let lives = Lives()
    let subject = ReplaySubject<Int>()
    subject.sendNext(1)
    let values = subject.onDispose { [token = lives.token()] in token.touch() }
    let disposed = Held<Bool>()
    for try await _ in values.onDispose({ disposed.value = true }).values { break }
    #expect(disposed.value == true)
    withExtendedLifetime(subject) {}
  }

  @Test("Cancelling the task ends the iteration and disposes the source", .timeLimit(.minutes(5)))
  func cancelling() async throws {
    let subject = Subject<Int>()
    let disposed = Counter()
    let subscribed = AsyncStream<Void>.makeStream()
    let values = subject.onDispose { disposed.increment() }
      .initially { subscribed.continuation.yield() }.values
    let task = Task {
      var count = 0
      for try await _ in values { count += 1 }
      return count
    }
    for await _ in subscribed.stream { break }
    task.cancel()
    #expect(try await task.value == 0)
    #expect(disposed.value == 1)
    withExtendedLifetime(subject) {}
  }

  @Test("from sends the elements of an async sequence and its end", .timeLimit(.minutes(5)))
  func elements() async throws {
    let stream = AsyncStream<Int> { continuation in
      for value in 1...3 { continuation.yield(value) }
      continuation.finish()
    }
    var received: [Int] = []
    for try await value in Signal.from(stream).values { received.append(value) }
    #expect(received == [1, 2, 3])
  }

  @Test("from fails with what the sequence throws", .timeLimit(.minutes(5)))
  func failure() async {
    let stream = AsyncThrowingStream<Int, any Error> { continuation in
      continuation.finish(throwing: MarbleError.failure)
    }
    await #expect(throws: MarbleError.failure) {
      for try await _ in Signal.from(stream).values {}
    }
  }

  @Test("Disposal cancels the iteration of the sequence", .timeLimit(.minutes(5)))
  func cancelled() async {
    let cancelled = AsyncStream<Void>.makeStream()
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    continuation.onTermination = { _ in cancelled.continuation.yield() }
    let received = AsyncStream<Int>.makeStream()
    let subscription = Signal.from(stream).subscribe(
      next: { received.continuation.yield($0) },
      completed: { received.continuation.yield(-1) })
    continuation.yield(1)
    for await value in received.stream {
      #expect(value == 1)
      break
    }
    subscription.dispose()
    for await _ in cancelled.stream { break }
  }
}
