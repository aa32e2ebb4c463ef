import EventLoop
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JobTests {
  @Test func jobsOfManyThreadsKeepEachThreadsOrder() async throws {
    let threads = 8
    let jobs = 5_000
    let seen = try await withLoop { loop in
      let seen = Mutex<[[Int]]>(Array(repeating: [], count: threads))
      let token = loop.keepAlive()
      let left = Mutex(threads)
      for thread in 0..<threads {
        startThread {
          for job in 0..<jobs {
            loop.enqueue { seen.withLock { $0[thread].append(job) } }
          }
          loop.enqueue {
            let isLast = left.withLock { left in
              left -= 1
              return left == 0
            }
            if isLast { token.release() }
          }
        }
      }
      loop.run()
      return seen.withLock { $0 }
    }
    #expect(seen == Array(repeating: Array(0..<jobs), count: threads))
  }

  @Test func aTurnWaitsForSomethingToHappenWhileATokenIsHeld() async throws {
    let turns = try await withLoop { loop in
      let token = loop.keepAlive()
      let isOver = Mutex(false)
      _ = loop.timer(after: .milliseconds(100)) { isOver.withLock { $0 = true } }
      var turns = 0
      while !isOver.withLock({ $0 }) {
        loop.runOnce()
        turns += 1
      }
      token.release()
      return turns
    }
    // Signals that are others' wake it now and then; one that does not wait turns for ever.
    #expect(turns < 1_000)
  }

  @Test func aTurnThatHadAJobOrATimerToRunDoesNotWaitForTheNext() async throws {
    let counts = try await withLoop { loop in
      let late = Mutex(0)
      let due = Mutex(0)
      let timer = loop.timer(after: .seconds(5)) { late.withLock { $0 += 1 } }
      loop.enqueue { due.withLock { $0 += 1 } }
      loop.runOnce()
      // Due before the turn begins.
      _ = loop.timer(after: .zero) { due.withLock { $0 += 1 } }
      while due.withLock({ $0 }) < 2 { loop.runOnce() }
      timer.cancel()
      return [due.withLock { $0 }, late.withLock { $0 }]
    }
    #expect(counts == [2, 0])
  }

  @Test func jobsRunOnTheLoopThreadAndNotInsideEnqueue() async throws {
    let facts = try await withLoop { loop in
      let facts = Mutex<[Bool]>([])
      loop.enqueue { facts.withLock { $0.append(loop.isOnLoopThread) } }
      let before = facts.withLock { $0.count }
      loop.run()
      return facts.withLock { $0 } + [before == 0]
    }
    #expect(facts == [true, true])
  }

  @Test func otherThreadsAreNotTheLoopThread() async throws {
    let isOnLoopThread = try await withLoop { loop in
      let answer = Mutex<Bool?>(nil)
      let token = loop.keepAlive()
      startThread {
        answer.withLock { $0 = loop.isOnLoopThread }
        token.release()
      }
      loop.run()
      return answer.withLock { $0 }
    }
    #expect(isOnLoopThread == false)
  }

  @Test func aJobThatEnqueuesItselfDoesNotStarveTimers() async throws {
    let hasFired = try await withLoop { loop in
      let hasFired = Mutex(false)
      @Sendable func again() {
        if !hasFired.withLock({ $0 }) { loop.enqueue(again) }
      }
      loop.enqueue {
        loop.timer(after: .zero) { hasFired.withLock { $0 = true } }
        again()
      }
      // Would never return.
      loop.run()
      return hasFired.withLock { $0 }
    }
    #expect(hasFired)
  }

  @Test func jobsQueuedBeforeRunAndByJobsAreRunBeforeItReturns() async throws {
    let order = try await withLoop { loop in
      let order = Mutex<[Int]>([])
      loop.enqueue {
        order.withLock { $0.append(1) }
        loop.enqueue { order.withLock { $0.append(3) } }
      }
      loop.enqueue { order.withLock { $0.append(2) } }
      loop.run()
      return order.withLock { $0 }
    }
    #expect(order == [1, 2, 3])
  }

  @Test func anEmptyLoopReturnsAtOnceAndCanRunAgain() async throws {
    let runs = try await withLoop { loop in
      let runs = Mutex(0)
      for _ in 0..<3 {
        loop.run()
        loop.enqueue { runs.withLock { $0 += 1 } }
        loop.run()
      }
      return runs.withLock { $0 }
    }
    #expect(runs == 3)
  }

  @Test func stopKeepsLaterJobsForTheNextRun() async throws {
    let seen = try await withLoop { loop in
      let seen = Mutex<[Int]>([])
      loop.enqueue {
        loop.stop()
        loop.enqueue { seen.withLock { $0.append(2) } }
      }
      loop.run()
      seen.withLock { $0.append(1) }
      loop.run()
      return seen.withLock { $0 }
    }
    #expect(seen == [1, 2])
  }

  @Test func stopFromAnotherThreadEndsALoopThatWaits() async throws {
    try await withLoop { loop in
      let token = loop.keepAlive()
      startThread { loop.stop() }
      loop.run()
      token.release()
    }
  }

  @Test func aDroppedKeepAliveTokenLetsTheLoopEnd() async throws {
    try await withLoop { loop in
      var token: KeepAlive? = loop.keepAlive()
      loop.timer(after: .milliseconds(1)) {
        // The only reference.
        _ = token
        token = nil
      }
      loop.run()
    }
  }

  @Test func pollRunsOneTurnWithoutWaiting() async throws {
    let seen = try await withLoop { loop in
      let seen = Mutex<[Int]>([])
      let token = loop.keepAlive()
      loop.enqueue {
        seen.withLock { $0.append(1) }
        loop.enqueue { seen.withLock { $0.append(2) } }
      }
      loop.poll()
      let first = seen.withLock { $0 }
      loop.poll()
      loop.poll()
      token.release()
      return (first, seen.withLock { $0 })
    }
    #expect(seen.0 == [1])
    #expect(seen.1 == [1, 2])
  }

  @Test func aClosedLoopDropsJobsAndReleasesThem() async throws {
    final class Witness: Sendable {}
    let isReleased = try await withLoop { loop in
      var queued: Witness? = Witness()
      var late: Witness? = Witness()
      weak let weakQueued = queued
      weak let weakLate = late
      if let queued { loop.enqueue { _ = queued } }
      loop.close()
      if let late { loop.enqueue { _ = late } }
      queued = nil
      late = nil
      return weakQueued == nil && weakLate == nil
    }
    #expect(isReleased)
  }

  @Test func aLoopThatIsDroppedWithoutCloseFreesWhatItOwns() async throws {
    final class Witness {}
    let isReleased = try await withLoop { _ in
      weak var witness: Witness?
      weak var dropped: EventLoop?
      do {
        let other = try EventLoop()
        let held = Witness()
        witness = held
        dropped = other
        other.timer(after: .seconds(1_000)) { _ = held }
      }
      return witness == nil && dropped == nil
    }
    #expect(isReleased)
  }
}
