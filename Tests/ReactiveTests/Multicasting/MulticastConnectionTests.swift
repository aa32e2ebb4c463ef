import Reactive
import ReactiveTesting
import Testing

@Suite("MulticastConnection")
struct MulticastConnectionTests {
  let scheduler = TestScheduler()

  @Test("Nothing is subscribed before connect, and once after it")
  func connect() throws {
    let source = try scheduler.cold("-a-b|")
    let connection = source.publish()
    let recorder = Recorder(connection.signal, on: scheduler)
    #expect(source.subscriptions == [])
    let one = connection.connect()
    let other = connection.connect()
    #expect(one === other)
    try scheduler.run()
    try recorder.expect("-a-b|")
    #expect(source.subscriptions == ["^---!"])
    connection.connect()
    #expect(source.subscriptions.count == 1)
  }

  @Test("publish sends a late subscriber what comes, and its end even later")
  func late() throws {
    let connection = try scheduler.cold("-a-b|").publish()
    connection.connect()
    let late = try scheduler.record(connection.signal, "--^")
    let afterEnd = try scheduler.record(connection.signal, "------^")
    try scheduler.run()
    try late.expect("--^b|")
    try afterEnd.expect("------(^|)")
  }

  @Test("An error goes to all subscribers")
  func error() throws {
    let connection = try scheduler.cold("-#").publish()
    let recorders = [
      Recorder(connection.signal, on: scheduler), Recorder(connection.signal, on: scheduler),
    ]
    connection.connect()
    try scheduler.run()
    for recorder in recorders { try recorder.expect("-#") }
  }

  @Test("Disposing the connection disposes the source and completes the subscribers")
  func disposal() throws {
    let source = try scheduler.cold("-a-b-c")
    let connection = source.publish()
    let recorder = Recorder(connection.signal, on: scheduler)
    let subscription = connection.connect()
    scheduler.advance(by: .seconds(2))
    subscription.dispose()
    #expect(recorder.diagram == "-a|")
    #expect(source.subscriptions == ["^-!"])
    #expect(scheduler.pendingCount == 0)
    #expect(Recorder(connection.signal).diagram == "|")
  }

  @Test("Disposing the connection leaves a subject alone that somebody else holds")
  func foreignSubject() throws {
    let subject = Subject<String>()
    let connection = try scheduler.cold("-a-b").multicast(subject)
    let recorder = Recorder(connection.signal, on: scheduler)
    connection.connect().dispose()
    #expect(recorder.diagram == "")
    subject.sendNext("x")
    #expect(recorder.diagram == "x")
  }

  @Test("multicast gives late subscribers what the subject replays")
  func replaying() throws {
    let connection = try scheduler.cold("ab-c|").multicast(ReplaySubject(capacity: 1))
    connection.connect()
    let late = try scheduler.record(connection.signal, "--^")
    try scheduler.run()
    try late.expect("--(^b)c|")
  }

  @Test("A connection that is dropped unconnected completes its subscribers")
  func dropped() throws {
    let source = try scheduler.cold("a|")
    let signal = source.publish().signal
    #expect(Recorder(signal).diagram == "|")
    #expect(source.subscriptions == [])
  }

  @Test("autoconnect connects at the first subscriber and disposes after the last")
  func autoconnect() throws {
    let source = try scheduler.hot("abcdefgh")
    let shared = source.publish().autoconnect()
    let first = try scheduler.record(shared, "-^--!")
    let second = try scheduler.record(shared, "--^---!")
    let third = try scheduler.record(shared, "-------^")
    try scheduler.run()
    try first.expect("-(^b)cd!")
    try second.expect("--(^c)def!")
    // It never connects again: there is nothing to come.
    try third.expect("-------(^|)")
    #expect(source.subscriptions == ["-^----!"])
  }

  @Test("autoconnect of a synchronous source sends its first subscriber everything")
  func synchronous() throws {
    let shared = Signal.from([1, 2]).publish().autoconnect()
    #expect(Recorder(shared).diagram == "(12|)")
    #expect(Recorder(shared).diagram == "|")
  }

  @Test("autoconnect stops an endless synchronous source when its subscriber leaves")
  func endless() throws {
    let shared = Signal.from(0...).publish().autoconnect()
    #expect(Recorder(shared.take(3)).diagram == "(012|)")
  }
}
