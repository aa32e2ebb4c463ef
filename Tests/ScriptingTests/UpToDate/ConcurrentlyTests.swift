import Synchronization
import Testing

@testable import Scripting

@Suite struct ConcurrentlyTests {
  private struct Odd: Error, Equatable { let number: Int }

  @Test("takes each element once, and returns the results in the order of the list")
  func order() {
    for bytes: UInt64 in [0, 1 << 40] {
      let calls = Mutex(0)
      let doubled = concurrently(taking: Array(0..<500), ofBytes: bytes) { number in
        calls.withLock { $0 += 1 }
        return number * 2
      }
      #expect(doubled == (0..<500).map { $0 * 2 })
      #expect(calls.withLock { $0 } == 500)
    }
  }

  @Test("fails with the error of the first element that failed, whichever thread was first")
  func failure() {
    for bytes: UInt64 in [0, 1 << 40] {
      #expect(throws: Odd(number: 3)) {
        try concurrently(taking: Array(0..<500), ofBytes: bytes) { number throws(Odd) in
          if number == 3 || number > 5 { throw Odd(number: number) }
          return number
        }
      }
    }
  }

  @Test("an empty list has no results")
  func empty() {
    #expect(concurrently(taking: [Int](), ofBytes: 0) { $0 } == [])
    #expect(concurrently(over: [Int]()) { Array($0) } == [[]])
  }
}
