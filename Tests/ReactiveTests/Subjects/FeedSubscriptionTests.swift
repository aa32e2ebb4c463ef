import ReactiveTesting
import Testing

@testable import Reactive

/// Subscriptions to a signal that is its own subject, which are one object with their place in it.
@Suite("Subscriptions to a feed")
struct FeedSubscriptionTests {
  private let lives = Lives()
  private let log = Log()
  private let feed = ReplayFeed<Int>(capacity: nil)
  private var signal: Signal<Int> { Signal(feed) }

  /// Subscribes with closures that hold a token each, but does not keep them.
  private func subscribe(_ next: @escaping @Sendable (Int) -> Void = { _ in }) -> any Disposable {
    let tokens = (0..<3).map { _ in lives.token() }
    return signal.subscribe(
      next: { [log] value in
        tokens[0].touch()
        log.add("\(value)")
        next(value)
      },
      error: { [log] _ in
        tokens[1].touch()
        log.add("#")
      },
      completed: { [log] in
        tokens[2].touch()
        log.add("|")
      })
  }

  @Test("One that is kept after its disposal holds no closures")
  func disposal() {
    let subscription = subscribe()
    feed.sendNext(1)
    #expect(lives.count == 3)
    subscription.dispose()
    #expect(lives.count == 0)
    feed.sendNext(2)
    feed.end(.completed)
    #expect(log.lines == ["1"])
  }

  @Test("One that is kept after its end holds no closures, whenever it came")
  func end() {
    let early = subscribe()
    feed.sendNext(1)
    let late = subscribe()
    feed.end(.completed)
    let tooLate = subscribe()
    #expect(log.lines == ["1", "1", "|", "|", "1", "|"])
    for subscription in [early, late, tooLate] { #expect(subscription.isDisposed) }
    #expect(lives.count == 0)
  }

  @Test("One that disposes itself in a value gets no more, whether that is replayed or live")
  func disposalInside() {
    let own = Held<any Disposable>()
    own.value = subscribe { _ in own.value?.dispose() }
    feed.sendNext(1)
    #expect(log.lines == ["1"])
    #expect(lives.count == 0)

    feed.sendNext(2)
    feed.sendNext(3)
    let other = Held<any Disposable>()
    let subscription = signal.subscribe(next: { [log, lives] value in
      lives.token().touch()
      log.add("other \(value)")
      other.value?.dispose()
    })
    other.value = subscription
    #expect(log.lines == ["1", "other 1", "other 2", "other 3"])
    feed.sendNext(4)
    feed.sendNext(5)
    #expect(log.lines == ["1", "other 1", "other 2", "other 3", "other 4"])
  }

  @Test("One that another thread disposes while it receives the record holds no closures")
  func disposalWhileReplaying() {
    for value in 1...3 { feed.sendNext(value) }
    let arrived = Held<SubjectSubscription<Int>>()
    let token = Held(lives.token())
    let observer = Observer<Int>(
      next: { [log, token = token.value] (value: Int) in
        token?.touch()
        log.add("\(value)")
        if value == 2 { arrived.value?.dispose() }
      }, end: { _ in })
    token.value = nil
    let subscription = SubjectSubscription<Int>(consume observer, .passUnretained(feed.core))
    arrived.value = subscription
    feed.core.join(subscription)
    #expect(log.lines == ["1", "2"])
    #expect(lives.count == 0)
  }

  @Test("One that is kept after its end does not keep the record")
  func record() {
    var subscription: (any Disposable)?
    do {
      let feed = ReplayFeed<Lives.Token>(capacity: nil)
      feed.sendNext(lives.token())
      subscription = Signal(feed).subscribe(next: { $0.touch() })
      #expect(lives.count == 1)
      feed.end(.completed)
    }
    #expect(lives.count == 0)
    #expect(subscription?.isDisposed == true)
  }

  @Test("It counts as disposed when its end is received, as everywhere")
  func order() {
    let own = Held<any Disposable>()
    own.value = signal.subscribe(completed: { [log] in
      log.add("\(own.value?.isDisposed ?? false)")
    })
    feed.end(.completed)
    #expect(log.lines == ["true"])
  }
}
