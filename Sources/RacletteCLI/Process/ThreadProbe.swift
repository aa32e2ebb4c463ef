import LuaRuntime
import Platform
import Synchronization

/// The error when the system has no threads left for this process.
struct ThreadShortage: Error, CustomStringConvertible {
  let code: Int32

  var description: String { "no thread can be started: \(systemErrorText(code))" }
}

/// Checks that threads can be started. If they cannot, work on a dispatch queue of the system hangs
/// without an error.
enum ThreadProbe {
  /// One thread for the work and one that dispatches it.
  private static let needed = 2

  private final class Gate: Sendable {
    let isClosed = Mutex<Void>(())
  }

  /// - Throws: `ThreadShortage` if there are not enough threads.
  static func check() throws(ThreadShortage) {
    let gate = Gate()
    var threads: [pthread_t] = []
    // No thread ends before all have begun.
    let code = gate.isClosed.withLock { _ in
      var code: Int32 = 0
      while code == 0, threads.count < needed {
        var thread = pthread_t()
        let this = Unmanaged.passRetained(gate)
        code = pthread_create(
          &thread, nil,
          { this in
            guard let this else { return nil }
            Unmanaged<Gate>.fromOpaque(this).takeRetainedValue().isClosed.withLock { _ in }
            return nil
          }, this.toOpaque())
        if code == 0 { threads.append(thread) } else { this.release() }
      }
      return code
    }
    for thread in threads { pthread_join(thread, nil) }
    if code != 0 { throw ThreadShortage(code: code) }
  }
}
