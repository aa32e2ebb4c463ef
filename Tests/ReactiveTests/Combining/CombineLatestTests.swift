import Reactive
import ReactiveTesting
import Testing

@Suite("combineLatest")
struct CombineLatestTests {
  let scheduler = TestScheduler()

  @Test("Sends the latest values together once every signal has sent one")
  func values() throws {
    let a = try scheduler.hot("a-b---c|")
    let b = try scheduler.hot("-x-y--z--|")
    let joined = Signal.combineLatest(a, b).map { $0.0 + $0.1 }
    try scheduler.expect(joined, "-'ax''bx''by'--('cy''cz')--|")
  }
}
