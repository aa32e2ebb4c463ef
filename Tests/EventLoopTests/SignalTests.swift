import EventLoop
import Platform
import Testing

/// Each test has a signal of its own, which no other test of this process uses: the last handle of a
/// signal takes the handler of the process with it, whoever installed that.
@Suite(.timeLimit(.minutes(5)))
struct SignalTests {
  @Test func aSignalReachesEveryHandlerOfEveryLoop() async throws {
    let outer = try await withLoop { loop in
      var calls = 0
      let token = loop.keepAlive()
      let first = try loop.onSignal(SIGUSR2) { calls += 1 }
      try loop.onSignal(SIGUSR2) {
        calls += 1
        token.release()
      }
      // To this thread, so that all handlers of the loop are told before it turns.
      pthread_kill(pthread_self(), SIGUSR2)
      loop.run()
      first.cancel()
      return calls
    }
    #expect(outer == 2)
  }

  @Test func aSignalHandlerDoesNotKeepTheLoopRunning() async throws {
    try await withLoop { loop in
      try loop.onSignal(SIGIO) {}
      loop.run()
    }
  }

  @Test func aCancelledHandlerIsReleasedAndNotCalled() async throws {
    final class Witness {}
    let outcome = try await withLoop { loop in
      var isCalled = false
      weak var witness: Witness?
      let handle: SignalHandle
      do {
        let held = Witness()
        witness = held
        handle = try loop.onSignal(SIGCONT) {
          isCalled = true
          _ = held
        }
      }
      handle.cancel()
      kill(getpid(), SIGCONT)
      loop.poll()
      return [witness == nil, !isCalled]
    }
    #expect(outcome == [true, true])
  }

  @Test func aHandledSignalIsUnblockedOnTheLoopsThread() async throws {
    let calls = try await withLoop { loop in
      var set = sigset_t()
      sigemptyset(&set)
      sigaddset(&set, SIGVTALRM)
      pthread_sigmask(SIG_BLOCK, &set, nil)
      var calls = 0
      let token = loop.keepAlive()
      try loop.onSignal(SIGVTALRM) {
        calls += 1
        token.release()
      }
      // To this thread alone: no other may take it.
      pthread_kill(pthread_self(), SIGVTALRM)
      loop.run()
      return calls
    }
    #expect(calls == 1)
  }

  @Test func aSignalThatNobodyMayHandleIsAnError() async throws {
    await #expect(throws: EventLoopError.cannotHandle(signal: SIGKILL, code: -EINVAL)) {
      try await withLoop { loop in
        _ = try loop.onSignal(SIGKILL) {}
      }
    }
  }
}
