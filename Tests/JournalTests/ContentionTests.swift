import Dispatch
import Synchronization
import Testing

@testable import Journal

/// Connections of one process stand in each other's way as those of several do.
@Suite(.serialized) struct ContentionTests {
  let place = Place()

  @Test func aJournalIsMadeAsSoonAsNobodyElseWritesToTheFile() throws {
    let other = try place.database()
    try other.execute("BEGIN IMMEDIATE")
    let hasEnded = DispatchSemaphore(value: 0)
    let failure = Mutex<String?>(nil)
    DispatchQueue.global().async { [place] in
      do { _ = try place.open() } catch { failure.withLock { $0 = "\(error)" } }
      hasEnded.signal()
    }
    // Who does not wait for the other is through by then.
    let isWaiting = hasEnded.wait(timeout: .now() + .milliseconds(100)) == .timedOut
    try other.execute("COMMIT")
    if isWaiting { hasEnded.wait() }
    #expect(isWaiting)
    #expect(failure.withLock { $0 } == nil)
  }

  @Test func manyMayMakeAJournalAtOnce() {
    let failures = Mutex<[String]>([])
    for _ in 0..<50 {
      let place = Place()
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        do { _ = try place.open() } catch { failures.withLock { $0.append("\(error)") } }
      }
    }
    #expect(failures.withLock { $0 } == [])
  }
}
