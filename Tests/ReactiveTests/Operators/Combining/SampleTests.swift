import Reactive
import ReactiveTesting
import Testing

@Suite("sample")
struct SampleTests {
  let scheduler = TestScheduler()

  @Test("The latest value comes at each value of the sampler, again if no other came")
  func values() throws {
    let source = try scheduler.hot("-a---b-c------")
    let ticks = try scheduler.hot("t-t-t---t-t-|")
    try scheduler.expect(source.sample(ticks), "--a-a---c-c-|")
  }

  @Test("Whichever completes first completes it and disposes the other")
  func completion() throws {
    let source = try scheduler.cold("-a|")
    let ticks = try scheduler.cold("------t")
    try scheduler.expect(source.sample(ticks), "--|")
    #expect(ticks.subscriptions == ["^-!"])
  }

  @Test("An error of either ends it", arguments: [("-a#", "------t"), ("-a----", "--#")])
  func error(source: String, ticks: String) throws {
    let sampled = try scheduler.cold(source).sample(scheduler.cold(ticks))
    try scheduler.expect(sampled, "--#")
  }

  @Test("Disposal in the middle disposes both")
  func disposal() throws {
    let source = try scheduler.cold("-a-----")
    let ticks = try scheduler.cold("--t-t-t")
    try scheduler.expect(source.sample(ticks), "--a-a!")
    #expect(source.subscriptions == ["^----!"])
    #expect(ticks.subscriptions == ["^----!"])
  }

  @Test(
    "A source that completes inside its subscription keeps the sampler from being subscribed to")
  func synchronous() throws {
    let ticks = try scheduler.cold("t")
    #expect(Recorder(Signal.just(1).sample(ticks)).diagram == "|")
    #expect(ticks.subscriptions == [])
  }

  @Test("A sampler that fires from inside a sampled value is served after it")
  func reentrant() {
    let source = Subject<Int>()
    let ticks = Subject<Int>()
    let recorder = Recorder<Int>(react: { if $0 < 3 { source.sendNext($0 + 1); ticks.sendNext(0) } }
    )
    recorder.observe(source.sample(ticks))
    source.sendNext(1)
    ticks.sendNext(0)
    #expect(recorder.values == [1, 2, 3])
    #expect(recorder.violations == [])
  }
}
