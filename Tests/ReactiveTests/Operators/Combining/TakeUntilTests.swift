import Reactive
import ReactiveTesting
import Testing

@Suite("takeUntil")
struct TakeUntilTests {
  let scheduler = TestScheduler()

  @Test("Ends at the trigger's first value or its completion", arguments: ["----x--", "----|"])
  func trigger(diagram: String) throws {
    let source = try scheduler.cold("-a-b-c-d|")
    let trigger = try scheduler.cold(diagram)
    try scheduler.expect(source.takeUntil(trigger), "-a-b|")
    #expect(source.subscriptions == ["^---!"])
    #expect(trigger.subscriptions == ["^---!"])
  }

  @Test("An error of the trigger is ignored")
  func triggerError() throws {
    let source = try scheduler.cold("-a-b|")
    try scheduler.expect(source.takeUntil(scheduler.cold("--#")), "-a-b|")
  }

  @Test("The source's own end comes through and disposes the trigger", arguments: ["-a|", "-a#"])
  func sourceEnd(diagram: String) throws {
    let trigger = try scheduler.cold("----x")
    try scheduler.expect(scheduler.cold(diagram).takeUntil(trigger), diagram)
    #expect(trigger.subscriptions == ["^-!"])
  }

  @Test(
    "A trigger that fires inside its subscription squelches everything",
    arguments: [Signal.just(1), .empty()])
  func synchronousTrigger(trigger: Signal<Int>) throws {
    let source = try scheduler.cold("a|")
    #expect(Recorder(source.takeUntil(trigger)).diagram == "|")
    #expect(source.subscriptions == [])
  }

  @Test("A trigger fired from inside a value ends it after that value, synchronous source or not")
  func reentrant() {
    let trigger = Subject<Int>()
    let recorder = Recorder<Int>(react: { if $0 == 2 { trigger.sendNext(0) } })
    recorder.observe(Signal.from(0...).takeUntil(trigger))
    #expect(recorder.diagram == "(012|)")
    #expect(recorder.violations == [])
  }

  @Test("Disposal in the middle disposes both")
  func disposal() throws {
    let source = try scheduler.cold("-a-b-c")
    let trigger = try scheduler.cold("-------x")
    try scheduler.expect(source.takeUntil(trigger), "-a-b!")
    #expect(source.subscriptions == ["^---!"])
    #expect(trigger.subscriptions == ["^---!"])
  }
}

@Suite("takeUntilReplacement")
struct TakeUntilReplacementTests {
  let scheduler = TestScheduler()

  @Test("The replacement takes over with its first event", arguments: ["|", "#"])
  func values(end: String) throws {
    let source = try scheduler.cold("-a-b-c-d-e|")
    let replacement = try scheduler.cold("----x--y-" + end)
    try scheduler.expect(source.takeUntilReplacement(replacement), "-a-bx--y-" + end)
    #expect(source.subscriptions == ["^---!"])
  }

  @Test("The end of the replacement without a value ends it too", arguments: ["|", "#"])
  func ends(end: String) throws {
    let source = try scheduler.cold("-a-b-c-d-e|")
    try scheduler.expect(source.takeUntilReplacement(scheduler.cold("----" + end)), "-a-b" + end)
    #expect(source.subscriptions == ["^---!"])
  }

  @Test("The source's completion is not the end")
  func sourceCompletion() throws {
    let replacement = try scheduler.cold("------x|")
    try scheduler.expect(scheduler.cold("-a|").takeUntilReplacement(replacement), "-a----x|")
  }

  @Test("The source's error comes through and disposes the replacement")
  func sourceError() throws {
    let replacement = try scheduler.cold("------x|")
    try scheduler.expect(scheduler.cold("-a#").takeUntilReplacement(replacement), "-a#")
    #expect(replacement.subscriptions == ["^-!"])
  }

  @Test("A replacement that sends inside its subscription squelches the source")
  func synchronous() throws {
    let source = try scheduler.cold("a|")
    #expect(Recorder(source.takeUntilReplacement(.from(["x", "y"]))).diagram == "(xy|)")
    #expect(source.subscriptions == [])
  }
}
