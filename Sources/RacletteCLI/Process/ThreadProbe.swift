import LuaRuntime
import Platform
import Synchronization

/// That the system has no threads left for this process.
struct ThreadShortage: Error, CustomStringConvertible {
  let code: Int32

  var description: String { "no thread can be started: \(systemErrorText(code))" }
}

/// Finds out whether threads can be started. Where none can, work that is put on a queue of the
/// system's waits without end and without a word.
enum ThreadProbe {
  /// One for the work and one that gives it out.
  private static let needed = 2

  private final class Gate: Sendable {
    let isClosed = Mutex<Void>(())
  }

  /// - Throws: if there are not enough threads.
  static func check() throws(ThreadShortage) {
    let gate = Gate()
    var threads: [pthread_t] = []
    // None ends before all have begun.
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
