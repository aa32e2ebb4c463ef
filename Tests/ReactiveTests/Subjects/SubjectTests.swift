import Reactive
import ReactiveTesting
import Testing

@Suite("Subject")
struct SubjectTests {
  @Test("Every subscriber receives what is sent while it is subscribed, in order")
  func values() {
    let subject = Subject<Int>()
    subject.sendNext(0)
    let first = Recorder(subject)
    subject.sendNext(1)
    let second = Recorder(subject)
    subject.sendNext(2)
    first.dispose()
    subject.sendNext(3)
    subject.sendCompleted()
    #expect(first.diagram == "(12!)")
    #expect(second.diagram == "(23|)")
  }

  @Test("A late subscriber receives the terminal event only", arguments: [true, false])
  func lateSubscriber(completes: Bool) {
    let subject = Subject<Int>()
    subject.sendNext(1)
    if completes { subject.sendCompleted() } else { subject.sendError(MarbleError.failure) }
    #expect(Recorder(subject).diagram == (completes ? "|" : "#"))
  }

  @Test("Nothing sent after the terminal event arrives anywhere")
  func afterEnd() {
    let subject = Subject<Int>()
    let live = Recorder(subject)
    subject.sendCompleted()
    subject.sendNext(1)
    subject.sendError(MarbleError.failure)
    #expect(live.diagram == "|")
    #expect(Recorder(subject).diagram == "|")
    #expect(live.violations == [])
  }

  @Test("Subscribers end with completion when the subject is released")
  func release() {
    let recorder = Held<Recorder<Int>>()
    do {
      let subject = Subject<Int>()
      recorder.value = Recorder(subject)
      subject.sendNext(1)
    }
    #expect(recorder.value?.diagram == "(1|)")
  }

  @Test("A subscription does not keep the subject alive")
  func gate() {
    let subject = Held(Subject<Int>())
    let subscription = subject.value!.subscribe()
    weak let gone = subject.value
    subject.value = nil
    withExtendedLifetime(subscription) { #expect(gone == nil) }
  }

  @Test("A completion sent from inside a value reaches all after that value")
  func nestedCompletion() {
    let subject = Subject<Int>()
    let first = Recorder<Int>(react: { _ in
      subject.sendCompleted(); subject.sendNext(2)
    })
    first.observe(subject)
    let second = Recorder(subject)
    subject.sendNext(1)
    #expect(first.diagram == "(1|)")
    #expect(second.diagram == "(1|)")
  }

  @Test("One who subscribes from inside a value receives the next, not that one")
  func nestedSubscription() {
    let subject = Subject<Int>()
    let late = Recorder<Int>()
    let first = Recorder<Int>(react: { if $0 == 1 { late.observe(subject) } })
    first.observe(subject)
    subject.sendNext(1)
    subject.sendNext(2)
    #expect(first.values == [1, 2])
    #expect(late.values == [2])
  }

  @Test("One disposed from inside a value by an earlier subscriber does not receive it")
  func nestedDisposal() {
    let subject = Subject<Int>()
    let second = Recorder<Int>()
    let first = Recorder<Int>(react: { if $0 == 2 { second.dispose() } })
    first.observe(subject)
    second.observe(subject)
    for value in 1...3 { subject.sendNext(value) }
    #expect(first.values == [1, 2, 3])
    #expect(second.values == [1])
    #expect(second.violations == [])
  }

  @Test("Ten thousand come and go in any order, and the rest receive everything")
  func comingAndGoing() {
    let subject = Subject<Int>()
    var generator = SeededGenerator(seed: 7)
    var subscriptions: [any Disposable] = []
    let received = Counter()
    for _ in 0..<10_000 {
      subscriptions.append(subject.subscribe(next: { _ in received.increment() }))
      if Bool.random(using: &generator) {
        subscriptions.remove(at: .random(in: 0..<subscriptions.count, using: &generator)).dispose()
      }
    }
    subject.sendNext(1)
    #expect(received.value == subscriptions.count)
  }
}
