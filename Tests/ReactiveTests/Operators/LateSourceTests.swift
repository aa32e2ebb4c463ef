import Reactive
import ReactiveTesting
import Testing

@Suite("Events handed over too late by another thread")
struct LateSourceTests {
  private let late = LateSource<Int>()

  @Test("Nothing is sent after the end that another source brought", arguments: [false, true])
  func afterEnd(isError: Bool) {
    let other = Subject<Int>()
    let operators: [Signal<Int>] = [
      late.signal.merge(other),
      Signal.combineLatest([late.signal, other]).map { $0[0] },
      Signal.zip([late.signal, other]).map { $0[0] },
      late.signal.sample(other),
      late.signal.takeUntil(other.filter { $0 > 100 }),
      late.signal.takeUntilReplacement(other),
      Signal.from([late.signal, other]).flatten(2),
      Signal.just(other).concat(.just(late.signal)).flatMap { $0 },
    ]
    let recorders = operators.map { Recorder($0) }
    other.sendNext(1)
    late.next(1)
    other.sendError(MarbleError.failure)
    late.next(2)
    late.end(isError ? .error(MarbleError.failure) : .completed)
    for recorder in recorders { #expect(recorder.violations == []) }
    for recorder in recorders { #expect(recorder.entries.filter(\.event.isTerminal).count == 1) }
  }

  @Test("switchToLatest sends nothing of an old signal after a new one has come")
  func switchToLatest() {
    let outer = Subject<Signal<Int>>()
    let recorder = Recorder(outer.switchToLatest())
    outer.sendNext(late.signal)
    late.next(1)
    outer.sendNext(.just(2))
    late.next(3)
    late.end(.error(MarbleError.failure))
    #expect(recorder.values == [1, 2])
    outer.sendCompleted()
    #expect(recorder.isCompleted)
  }

  @Test("takeUntilReplacement sends nothing of the source after the replacement has sent")
  func takeUntilReplacement() {
    let replacement = Subject<Int>()
    let recorder = Recorder(late.signal.takeUntilReplacement(replacement))
    late.next(1)
    replacement.sendNext(2)
    late.next(3)
    late.end(.error(MarbleError.failure))
    #expect(recorder.values == [1, 2])
    replacement.sendCompleted()
    #expect(recorder.isCompleted)
  }
}
