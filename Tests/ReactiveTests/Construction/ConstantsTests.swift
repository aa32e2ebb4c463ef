import Reactive
import ReactiveTesting
import Testing

@Suite("just, empty, never, error")
struct ConstantsTests {
  @Test("just sends its value and completes, to each subscriber")
  func just() {
    let signal = Signal.just("a")
    #expect(Recorder(signal).diagram == "(a|)")
    #expect(Recorder(signal).diagram == "(a|)")
  }

  @Test("just disposed from inside its value does not complete")
  func justDisposed() {
    let recorder = disposedByFirst(Signal.just("a"))
    #expect(recorder.diagram == "(a!)")
  }

  @Test("empty completes")
  func empty() {
    #expect(Recorder(Signal<Int>.empty()).diagram == "|")
  }

  @Test("error fails with its error")
  func error() {
    let recorder = Recorder(Signal<Int>.error(MarbleError.failure))
    #expect(recorder.diagram == "#")
    #expect(recorder.error as? MarbleError == .failure)
  }

  @Test("never sends nothing and keeps nothing once disposed")
  func never() {
    let lives = Lives()
    let subscription = Signal<Int>.never().subscribe(next: { [token = lives.token()] _ in
      token.touch()
    })
    #expect(lives.count == 0)
    subscription.dispose()
  }
}

/// Records a signal and disposes it from inside its first value.
func disposedByFirst<Value: Sendable>(_ signal: Signal<Value>) -> Recorder<Value> {
  disposed(signal, by: { _ in true })
}

/// Records a signal and disposes it from inside the value that `isLast`.
func disposed<Value: Sendable>(
  _ signal: Signal<Value>, on scheduler: TestScheduler? = nil,
  by isLast: @escaping @Sendable (Value) -> Bool
) -> Recorder<Value> {
  let held = Held<Recorder<Value>>()
  let recorder = Recorder<Value>(on: scheduler, react: { if isLast($0) { held.value?.dispose() } })
  held.value = recorder
  recorder.observe(signal)
  return recorder
}
