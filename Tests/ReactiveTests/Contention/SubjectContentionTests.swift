import Reactive
import ReactiveTesting
import Synchronization
import Testing

/// Values that tell who sent them, and in which place.
private let perThread = 2_000

private func sent(by number: Int, place: Int) -> Int { number * perThread + place }

/// Whether the values of each thread came in the order in which it sent them.
private func keepsEachOrder(_ values: [Int]) -> Bool {
  var last: [Int: Int] = [:]
  for value in values {
    let (thread, place) = value.quotientAndRemainder(dividingBy: perThread)
    guard place > last[thread, default: -1] else { return false }
    last[thread] = place
  }
  return true
}

@Suite("Subjects under contention", .timeLimit(.minutes(5)))
struct SubjectContentionTests {
  @Test("All subscribers see one order, one value at a time")
  func oneOrder() async {
    let subject = Subject<Int>()
    let recorders = (0..<3).map { _ in Recorder(subject as Signal<Int>) }
    await onThreads(4) { number in
      for place in 0..<perThread { subject.sendNext(sent(by: number, place: place)) }
    }
    for recorder in recorders {
      #expect(recorder.violations == [])
      #expect(recorder.values.count == 4 * perThread)
      #expect(recorder.values == recorders[0].values)
    }
    #expect(keepsEachOrder(recorders[0].values))
  }

  @Test("One end wins, and nothing comes after it")
  func oneEnd() async {
    for _ in 0..<50 {
      let subject = Subject<Int>()
      let recorder = Recorder(subject as Signal<Int>)
      await onThreads(4) { number in
        for place in 0..<20 { subject.sendNext(sent(by: number, place: place)) }
        if number % 2 == 0 {
          subject.sendCompleted()
        } else {
          subject.sendError(MarbleError.failure)
        }
      }
      #expect(recorder.violations == [])
      #expect(recorder.entries.last?.event.isTerminal == true)
    }
  }

  @Test("Subscribers that come and go meanwhile receive values in order, and none after they left")
  func comingAndGoing() async {
    let subject = Subject<Int>()
    let stayed = Recorder(subject as Signal<Int>)
    await onThreads(4) { number in
      if number < 2 {
        for place in 0..<perThread { subject.sendNext(sent(by: number, place: place)) }
      } else {
        for _ in 0..<300 {
          let recorder = Recorder(subject as Signal<Int>)
          subject.sendNext(sent(by: number, place: 0))
          recorder.subscription.dispose()
          #expect(!recorder.violations.contains(.overlappingEvents))
        }
      }
    }
    #expect(stayed.violations == [])
    #expect(stayed.values.count == 2 * perThread + 2 * 300)
  }

  @Test(
    "A late subscriber of a replay subject sees the order of a live one, whatever is sent meanwhile",
    .tags(.racDefect)
  )
  func replayOrder() async {
    let subject = ReplaySubject<Int>()
    let live = Recorder(subject as Signal<Int>)
    let late = Mutex<[Recorder<Int>]>([])
    await onThreads(4) { number in
      if number < 2 {
        for place in 0..<perThread { subject.sendNext(sent(by: number, place: place)) }
      } else {
        for _ in 0..<10 {
          let recorder = Recorder(subject as Signal<Int>)
          late.withLock { $0.append(recorder) }
        }
      }
    }
    subject.sendCompleted()
    #expect(live.values.count == 2 * perThread)
    for recorder in late.withLock({ $0 }) + [live] {
      #expect(recorder.violations == [])
      #expect(recorder.values == live.values)
      #expect(recorder.isCompleted)
    }
  }

  @Test("A limited replay begins somewhere and then misses nothing")
  func limitedReplay() async {
    let subject = ReplaySubject<Int>(capacity: 3)
    let late = Mutex<[Recorder<Int>]>([])
    await onThreads(3) { number in
      if number == 0 {
        for place in 0..<perThread { subject.sendNext(place) }
      } else {
        for _ in 0..<20 {
          let recorder = Recorder(subject as Signal<Int>)
          late.withLock { $0.append(recorder) }
        }
      }
    }
    for recorder in late.withLock({ $0 }) {
      let values = recorder.values
      #expect(recorder.violations == [])
      #expect(values.isEmpty || values == Array(values[0]..<perThread))
    }
  }

  @Test("A compound disposable disposes each of its parts once, whoever adds and disposes")
  func compoundDisposable() async {
    for _ in 0..<100 {
      let compound = CompoundDisposable()
      let disposals = Counter()
      await onThreads(3) { number in
        if number == 0 {
          compound.dispose()
        } else {
          for _ in 0..<50 { compound.add { disposals.increment() } }
        }
      }
      #expect(disposals.value == 100)
    }
  }

  @Test("A serial disposable disposes all that it has held but once")
  func serialDisposable() async {
    let serial = SerialDisposable()
    let disposals = Counter()
    await onThreads(3) { _ in
      for _ in 0..<500 { serial.inner = ActionDisposable { disposals.increment() } }
    }
    #expect(disposals.value == 1_499)
    serial.dispose()
    #expect(disposals.value == 1_500)
  }
}
