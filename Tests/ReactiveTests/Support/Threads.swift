import Dispatch

/// Blocks a thread until another one signals.
final class Wait: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func signal() {
    semaphore.signal()
  }

  func wait() {
    semaphore.wait()
  }
}

/// Runs each body on a thread of its own, all from the same moment on, and comes back when all have
/// returned.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) async {
  let start = Wait()
  await withTaskGroup(of: Void.self) { group in
    for number in 0..<count {
      group.addTask {
        await withCheckedContinuation { continuation in
          startThread {
            start.wait()
            body(number)
            continuation.resume()
          }
        }
      }
    }
    for _ in 0..<count { start.signal() }
  }
}
