import Reactive
import ReactiveTesting
import Testing

@Suite("if, then, else and switch, cases, default")
struct ChoiceTests {
  let scheduler = TestScheduler()

  @Test("The condition chooses the signal, and each of its values subscribes anew")
  func condition() throws {
    let a = try scheduler.cold("a-b-c-d")
    let b = try scheduler.cold("x-y-z-w")
    let condition = try scheduler.hot("-t---f--f--|", Bool.self)
    try scheduler.expect(.if(condition, then: a, else: b), "-a-b-x-yx-y-z-w!")
    #expect(a.subscriptions == ["-^---!"])
    #expect(b.subscriptions == ["-----^--!", "--------^------!"])
  }

  @Test("Completes when the condition and the signal chosen last have completed")
  func completion() throws {
    let condition = try scheduler.hot("-t-f|", Bool.self)
    let chosen = try Signal.if(condition, then: scheduler.cold("a|"), else: scheduler.cold("x--y|"))
    try scheduler.expect(chosen, "-a-x--y|")
  }

  @Test("An error of the condition or of the signal chosen ends it")
  func error() throws {
    let never = Signal<String>.never()
    try scheduler.expect(
      .if(scheduler.hot("-t#", Bool.self), then: never, else: never), "--#")
  }

  @Test("Keys choose among the cases, others the default")
  func cases() throws {
    let keys = try scheduler.hot("-a--b--c|")
    let chosen = try Signal.switch(
      keys, cases: ["a": scheduler.cold("1|"), "b": scheduler.cold("2-2|")], default: .just("d"))
    try scheduler.expect(chosen, "-1--2-2d|")
  }

  @Test("A key without a case fails if there is no default")
  func noMatch() throws {
    let keys = try scheduler.hot("-a-q-a")
    let chosen = try Signal.switch(keys, cases: ["a": scheduler.cold("1-1-1-1")])
    try scheduler.expect(chosen, "-1-#")
    let recorder = Recorder(Signal<Int>.switch(.just("q"), cases: [:]))
    #expect(recorder.error as? SwitchError == .noMatchingCase("q"))
    #expect("\(SwitchError.noMatchingCase("q"))".contains("'q'"))
  }
}
