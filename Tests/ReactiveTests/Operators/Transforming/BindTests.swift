import Reactive
import ReactiveTesting
import Testing

@Suite("bind")
struct BindTests {
  let scheduler = TestScheduler()

  @Test("Sends what the signals made of the values send, as they come")
  func values() throws {
    let source = try scheduler.cold("-a-b|")
    let inner = ["a": try scheduler.cold("1--2|"), "b": try scheduler.cold("3--4|")]
    try scheduler.expect(source.bind { { value, _ in inner[value]! } }, "-1-32-4|")
  }

  @Test("Stopping disposes the source, and the signals made go on")
  func stop() throws {
    let source = try scheduler.cold("-a-b-c|")
    let inner = ["a": try scheduler.cold("1----2|"), "b": try scheduler.cold("3|")]
    let bound = source.bind {
      { value, stop in
        stop = value == "b"
        return inner[value]!
      }
    }
    try scheduler.expect(bound, "-1-3--2|")
    #expect(source.subscriptions == ["^--!"])
  }

  @Test("Nil stops without a further signal, also inside the subscription")
  func none() throws {
    let source = try scheduler.cold("-a-b-c|")
    try scheduler.expect(source.bind { { value, _ in value == "b" ? nil : .just(value) } }, "-a-|")
    #expect(source.subscriptions == ["^--!"])
    let numbers = Signal.from(1...1_000).bind { { value, _ in value < 3 ? .just(value) : nil } }
    #expect(Recorder(numbers).diagram == "(12|)")
  }

  @Test("Each subscription has a binding of its own, whose state counts its values only")
  func state() {
    let counted = Signal.from(["a", "b"]).bind {
      var count = 0
      return { value, _ in
        count += 1
        return .just("\(value)\(count)")
      }
    }
    #expect(Recorder(counted).values == ["a1", "b2"])
    #expect(Recorder(counted).values == ["a1", "b2"])
  }

  @Test("An error of the source or of a signal made disposes the rest")
  func errors() throws {
    let source = try scheduler.cold("-a-b--")
    let inner = ["a": try scheduler.cold("1-----"), "b": try scheduler.cold("-#")]
    try scheduler.expect(source.bind { { value, _ in inner[value]! } }, "-1--#")
    #expect(source.subscriptions == ["^---!"])
    #expect(inner["a"]?.subscriptions == ["-^--!"])
    let failing = try scheduler.cold("-a-#")
    let open = try scheduler.cold("1")
    let bound = Recorder(failing.bind { { _, _ in open } }, on: scheduler)
    try scheduler.run()
    #expect(bound.values == ["1"] && bound.error != nil)
    #expect(bound.violations == [])
  }

  @Test("Disposal disposes the source and the signals made")
  func disposal() throws {
    let source = try scheduler.cold("-a---")
    let inner = try scheduler.cold("1----")
    try scheduler.expect(source.bind { { _, _ in inner } }, "-1-!")
    #expect(source.subscriptions == ["^--!"])
    #expect(inner.subscriptions == ["-^-!"])
  }
}
