import Reactive
import ReactiveTesting
import Testing

@Suite("firstAsync, untilCompleted", .timeLimit(.minutes(5)))
struct AsyncWaitingTests {
  @Test("firstAsync returns the first value and disposes the source, on the main actor too")
  @MainActor func first() async throws {
    let (subject, disposed) = (ReplaySubject<Int>(), Counter())
    subject.sendNext(1)
    subject.sendNext(2)
    #expect(try await subject.onDispose { disposed.increment() }.firstAsync() == 1)
    #expect(disposed.value == 1)
    let later = Signal<Int>.just(7).deliverOn(.background())
    #expect(try await later.firstAsync() == 7)
  }

  @Test("firstAsync returns nil at a completion without a value, and throws the error")
  func ends() async throws {
    #expect(try await Signal<Int>.empty().firstAsync() == nil)
    await #expect(throws: MarbleError.failure) {
      _ = try await Signal<Int>.error(MarbleError.failure).firstAsync()
    }
  }

  @Test("untilCompleted returns at the completion and throws the error")
  func completion() async throws {
    let (subject, isOver) = (Subject<Int>(), Held(false))
    let subscribed = AsyncStream<Void>.makeStream()
    let signal = subject.initially { subscribed.continuation.yield() }
    let task = Task {
      try await signal.untilCompleted()
      return isOver.value
    }
    for await _ in subscribed.stream { break }
    subject.sendNext(1)
    isOver.value = true
    subject.sendCompleted()
    #expect(try await task.value == true)
    await #expect(throws: MarbleError.failure) {
      try await Signal<Int>.error(MarbleError.failure).untilCompleted()
    }
  }

  @Test("Cancelling the task disposes the source and throws", arguments: [true, false])
  func cancelling(_ isFirst: Bool) async throws {
    let (subject, disposed) = (Subject<Int>(), Counter())
    let subscribed = AsyncStream<Void>.makeStream()
    let signal = subject.onDispose { disposed.increment() }
      .initially { subscribed.continuation.yield() }
    let task = Task {
      if isFirst { _ = try await signal.firstAsync() } else { try await signal.untilCompleted() }
    }
    for await _ in subscribed.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(disposed.value == 1)
    withExtendedLifetime(subject) {}
  }
}
