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

  @Test(
    "A late subscriber receives the terminal event only", .tags(.racDefect),
    arguments: [true, false])
  func lateSubscriber(completes: Bool) {
    let subject = Subject<Int>()
    subject.sendNext(1)
    if completes { subject.sendCompleted() } else { subject.sendError(MarbleError.failure) }
    #expect(Recorder(subject).diagram == (completes ? "|" : "#"))
  }

  @Test("Nothing sent after the terminal event arrives anywhere", .tags(.racDefect))
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
  func ownership() {
    let subject = Held(Subject<Int>())
    let subscription = subject.value!.subscribe()
    weak let gone = subject.value
    subject.value = nil
    withExtendedLifetime(subscription) { #expect(gone == nil) }
  }

  @Test(
    "Nested sends come after the value being sent, in one order for all subscribers",
    .tags(.racDefect))
  func nestedOrder() {
    let subject = Subject<Int>()
    let first = Recorder<Int>(react: { if $0 < 4 { subject.sendNext($0 + 1) } })
    first.observe(subject)
    let second = Recorder(subject)
    let third = Recorder(subject)
    subject.sendNext(1)
    for recorder in [first, second, third] {
      #expect(recorder.values == [1, 2, 3, 4])
      #expect(recorder.violations == [])
    }
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

  @Test(
    "No lock is held while user code runs: a subscriber may wait for another thread's send",
    .tags(.racDefect))
  func locks() async {
    let subject = Subject<Int>()
    let received = Recorder<Int>(react: { value in
      guard value == 1 else { return }
      let sent = Wait()
      startThread {
        subject.sendNext(2)
        sent.signal()
      }
      sent.wait()
    })
    received.observe(subject)
    subject.sendNext(1)
    #expect(received.values == [1, 2])
    #expect(received.violations == [])
  }

  @Test(
    "A thousand subjects that forward to each other work on a stack of 512 KiB", .tags(.racDefect),
    .measuresStack)
  func chain() async {
    await onSmallStack {
      let subjects = (0..<1_000).map { _ in Subject<Int>() }
      for (subject, next) in zip(subjects, subjects.dropFirst()) { subject.subscribe(next) }
      let received = Recorder(subjects.last! as Signal<Int>)
      subjects[0].sendNext(1)
      subjects[0].sendNext(2)
      subjects[0].sendCompleted()
      #expect(received.diagram == "(12|)")
    }
  }

  @Test(
    "A thousand operators in a row work on a stack of 512 KiB", .tags(.racDefect), .measuresStack)
  func longPipeline() async {
    await onSmallStack {
      let subject = Subject<Int>()
      var signal: Signal<Int> = subject
      for _ in 0..<1_000 { signal = signal.map { $0 + 1 } }
      let received = Recorder(signal)
      subject.sendNext(0)
      subject.sendCompleted()
      #expect(received.values == [1_000])
      #expect(received.isCompleted)
    }
  }
}
