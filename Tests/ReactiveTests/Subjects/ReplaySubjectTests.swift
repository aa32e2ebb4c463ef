import Reactive
import ReactiveTesting
import Testing

@Suite("ReplaySubject and BehaviorSubject")
struct ReplaySubjectTests {
  @Test("A late subscriber receives all that was sent, then what comes, then the end")
  func unlimited() {
    let subject = ReplaySubject<Int>()
    subject.sendNext(1)
    subject.sendNext(2)
    let late = Recorder(subject as Signal<Int>)
    subject.sendNext(3)
    subject.sendCompleted()
    #expect(late.diagram == "(123|)")
    #expect(Recorder(subject as Signal<Int>).diagram == "(123|)")
  }

  @Test("An error is replayed after the values")
  func error() {
    let subject = ReplaySubject<Int>()
    subject.sendNext(1)
    subject.sendError(MarbleError.failure)
    #expect(Recorder(subject as Signal<Int>).diagram == "(1#)")
  }

  @Test(
    "A limited record keeps the latest values, and with capacity 0 only the end",
    arguments: [(0, "|"), (1, "(5|)"), (2, "(45|)"), (5, "(12345|)"), (9, "(12345|)")])
  func capacity(capacity: Int, expected: String) {
    let subject = ReplaySubject<Int>(capacity: capacity)
    for value in 1...5 { subject.sendNext(value) }
    subject.sendCompleted()
    #expect(Recorder(subject as Signal<Int>).diagram == expected)
  }

  @Test("Many values replay in order, across all the places where they are stored")
  func many() {
    for capacity in [nil, 7_000] as [Int?] {
      let subject = ReplaySubject<Int>(capacity: capacity)
      for value in 0..<10_000 { subject.sendNext(value) }
      #expect(
        Recorder(subject as Signal<Int>).values == Array((10_000 - (capacity ?? 10_000))..<10_000))
    }
  }

  @Test("A value that falls out of a limited record is released before the new one is sent")
  func trimming() {
    let lives = Lives()
    let subject = ReplaySubject<Lives.Token>(capacity: 1)
    let counts = Log()
    subject.subscribe(next: { _ in counts.add("\(lives.count)") })
    for _ in 0..<3 { subject.sendNext(lives.token()) }
    #expect(counts.lines == ["1", "1", "1"])
  }

  /// A value that uses its subject when it is released.
  private final class Visitor: Sendable {
    let visit: @Sendable () -> Void

    init(_ visit: @escaping @Sendable () -> Void) {
      self.visit = visit
    }

    deinit {
      visit()
    }
  }

  @Test(
    "A value that falls out of the record may use the subject while it is released",
    .tags(.racDefect))
  func releaseUsesTheSubject() {
    let visits = Counter()
    let behavior = BehaviorSubject<Visitor?>(nil)
    let replay = ReplaySubject<Visitor?>(capacity: 1)
    for subject in [behavior, replay] as [Subject<Visitor?>] {
      let visitor = Visitor { [weak subject] in
        subject?.subscribe(next: { _ in visits.increment() })
        subject?.sendNext(nil)
      }
      subject.sendNext(visitor)
    }
    behavior.sendNext(nil)
    replay.sendNext(nil)
    // Each visit sees the value that took the place, and the one it sends.
    #expect(visits.value == 4)
  }

  @Test("What is sent while a late subscriber receives the record follows where it is sent")
  func missed() async {
    let subject = ReplaySubject<Int>()
    subject.sendNext(1)
    let received = Log()
    let isReplaying = Wait()
    let hasSent = Wait()
    await onThreads(2) { number in
      if number == 0 {
        subject.subscribe(next: { value in
          received.add("\(value)")
          guard value == 1 else { return }
          isReplaying.signal()
          hasSent.wait()
        })
      } else {
        isReplaying.wait()
        for value in 2...4 { subject.sendNext(value) }
        hasSent.signal()
      }
    }
    #expect(received.lines == ["1", "2", "3", "4"])
  }

  @Test("Values sent from inside a replay come after it, to all in one order", .tags(.racDefect))
  func reentrantReplay() throws {
    let subject = ReplaySubject<Int>()
    let live = Recorder(subject as Signal<Int>)
    subject.sendNext(1)
    subject.sendNext(2)
    let late = Recorder<Int>(react: { if $0 <= 2 { subject.sendNext($0 + 10) } })
    late.observe(subject)
    #expect(live.values == [1, 2, 11, 12])
    #expect(late.values == [1, 2, 11, 12])
    #expect(late.violations == [])
  }

  @Test("A completion sent from inside a replay comes after it", .tags(.racDefect))
  func reentrantCompletion() {
    let subject = ReplaySubject<Int>()
    for value in 1...3 { subject.sendNext(value) }
    let late = Recorder<Int>(react: { if $0 == 1 { subject.sendCompleted() } })
    late.observe(subject)
    #expect(late.diagram == "(123|)")
    #expect(late.violations == [])
  }

  @Test("A subscriber that leaves during its replay receives no more of it")
  func disposalDuringReplay() {
    let subject = ReplaySubject<Int>()
    for value in 1...3 { subject.sendNext(value) }
    #expect(Recorder(subject.take(2)).diagram == "(12|)")
    let late = Held<Recorder<Int>>()
    late.value = Recorder(react: { if $0 == 2 { late.value?.dispose() } })
    late.value?.observe(subject)
    subject.sendNext(4)
    #expect(late.value?.values == [1, 2])
    #expect(late.value?.violations == [])
  }

  @Test("A behavior subject sends its current value first, after its end the last one and the end")
  func behavior() {
    let subject = BehaviorSubject(0)
    let first = Recorder(subject as Signal<Int>)
    subject.sendNext(1)
    let second = Recorder(subject as Signal<Int>)
    subject.sendNext(2)
    subject.sendCompleted()
    #expect(first.diagram == "(012|)")
    #expect(second.diagram == "(12|)")
    #expect(Recorder(subject as Signal<Int>).diagram == "(2|)")
  }

  @Test("Subscribers end with completion when the subject is released, its record with it")
  func release() {
    let lives = Lives()
    let recorder = Held<Recorder<Lives.Token>>()
    do {
      let subject = ReplaySubject<Lives.Token>()
      subject.sendNext(lives.token())
      subject.subscribe(completed: { recorder.value = nil })
      recorder.value = Recorder(subject as Signal<Lives.Token>)
    }
    #expect(recorder.value == nil)
    #expect(lives.count == 0)
  }

  /// A value that a core has no room for.
  private struct Large: Sendable {
    let numbers = (1, 2, 3)
    let token: Lives.Token
  }

  @Test(
    "A record of one value holds it until it is replaced or the subject is gone, small or large")
  func single() {
    func test<Value: Sendable>(_ make: (Lives.Token) -> Value) {
      let lives = Lives()
      do {
        let latest = BehaviorSubject(make(lives.token()))
        latest.sendNext(make(lives.token()))
        #expect(lives.count == 1)
        let replayed = Held<Value>()
        latest.subscribe { replayed.value = $0 }
        #expect(replayed.value != nil)
        let all = ReplaySubject<Value>()
        all.sendNext(make(lives.token()))
        all.sendNext(make(lives.token()))
        #expect(lives.count == 3)
      }
      #expect(lives.count == 0)
    }
    test { $0 }
    test { Large(token: $0) }
  }
}
