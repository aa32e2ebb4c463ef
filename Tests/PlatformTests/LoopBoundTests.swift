import Platform
import Testing

@Suite struct LoopBoundTests {
  private final class Counter {
    var count = 0
  }

  private static func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      {
        #if canImport(Glibc)
          let work = Unmanaged<Work>.fromOpaque($0!).takeRetainedValue()
        #else
          let work = Unmanaged<Work>.fromOpaque($0).takeRetainedValue()
        #endif
        work.body()
        return nil
      }, work.toOpaque())
    pthread_join(thread, nil)
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  @Test func itsThreadUsesTheValue() {
    let bound = LoopBound(Counter())
    let add: @Sendable (Int) -> Void = onLoop { bound.value.count += $0 }
    add(2)
    add(3)
    #expect(bound.value.count == 5)
  }

  @Test func anotherThreadMayCarryIt() {
    let bound = LoopBound(Counter())
    Self.onAnotherThread { withExtendedLifetime(bound) {} }
    #expect(bound.value.count == 0)
  }
}
