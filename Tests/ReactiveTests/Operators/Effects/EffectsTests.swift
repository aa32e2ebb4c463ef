import Reactive
import ReactiveTesting
import Testing

@Suite("initially, doNext, doError, doCompleted, finally, onDispose")
struct EffectsTests {
  let scheduler = TestScheduler()
  let log = Log()

  private func observed(_ source: Signal<String>) -> Signal<String> {
    source
      .initially { [log] in log.add("initially") }
      .doNext { [log] in log.add("doNext \($0)") }
      .doError { [log] _ in log.add("doError") }
      .doCompleted { [log] in log.add("doCompleted") }
      .finally { [log] in log.add("finally") }
      .onDispose { [log] in log.add("onDispose") }
  }

  private func subscribe(_ source: Signal<String>) -> any Disposable {
    observed(source).subscribe(
      next: { [log] in log.add("next \($0)") },
      error: { [log] _ in log.add("error") },
      completed: { [log] in log.add("completed") })
  }

  @Test("Each effect comes before its event goes on, and the disposal before the end is told")
  func completion() throws {
    _ = subscribe(try scheduler.cold("(a|)"))
    #expect(
      log.lines == [
        "initially", "doNext a", "next a", "doCompleted", "finally", "onDispose", "completed",
      ])
  }

  @Test("An error has its own effects")
  func error() throws {
    _ = subscribe(try scheduler.cold("#"))
    #expect(log.lines == ["initially", "doError", "finally", "onDispose", "error"])
  }

  @Test("Disposal is neither an end nor twice")
  func disposal() throws {
    let subscription = subscribe(try scheduler.cold("a-b"))
    subscription.dispose()
    subscription.dispose()
    #expect(log.lines == ["initially", "doNext a", "next a", "onDispose"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("The events are the source's", arguments: ["a-b|", "a-#", "|", "-(ab)", "a--"])
  func events(diagram: String) throws {
    try scheduler.expect(observed(try scheduler.cold(diagram)), diagram)
  }

  @Test("initially runs for each subscription; disposal from inside it prevents that")
  func initially() throws {
    let source = try scheduler.cold("a|")
    let subscription = CompoundDisposable()
    let recorder = Recorder<String>()
    subscription.add(recorder.subscription)
    recorder.observe(source.initially { subscription.dispose() })
    #expect(recorder.diagram == "")
    #expect(source.subscriptions == [])
    observed(source).subscribe()
    observed(source).subscribe()
    #expect(log.lines.filter { $0 == "initially" }.count == 2)
  }

  @Test("Disposal from inside an effect holds its event back")
  func inside() {
    let effects: [@Sendable (Signal<Int>, Recorder<Int>) -> Signal<Int>] = [
      { source, recorder in source.doNext { _ in recorder.dispose() } },
      { source, recorder in source.filter { _ in false }.doCompleted { recorder.dispose() } },
      { source, recorder in source.filter { _ in false }.finally { recorder.dispose() } },
    ]
    for effect in effects {
      let recorder = Recorder<Int>()
      recorder.observe(effect(.just(1), recorder))
      #expect(recorder.diagram == "!")
      #expect(recorder.violations == [])
    }
  }

  @Test("log tells what happens under the name")
  func logs() throws {
    let source = try scheduler.cold("a#").named("source")
    source.log { [log] in log.add($0) }.subscribe()
    try scheduler.run()
    #expect(
      log.lines == [
        "source: subscribed", "source: next a", "source: error failure", "source: disposed",
      ])
  }

  @Test("A name shows in the description and changes no event")
  func named() throws {
    let signal = Signal.from([1, 2]).named("numbers")
    #expect(signal.name == "numbers")
    #expect("\(signal)" == "Signal<Int>(numbers)")
    #expect("\(Signal.just(1))" == "Signal<Int>")
    #expect(Recorder(signal).diagram == "(12|)")
  }
}
