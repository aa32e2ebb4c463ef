import EventLoop
import Platform

/// Handles stop and continue, as by Ctrl-Z and `fg`: the children, whose groups the terminal does
/// not signal, stop and continue with the program.
package enum JobControl {
  /// - Parameters:
  ///   - willStop: called before the program stops.
  ///   - didContinue: called when it continues.
  static func follow(
    _ loop: EventLoop, willStop: @escaping () -> Void, didContinue: @escaping () -> Void
  ) throws {
    // If the parent ignores it, no process would continue this one.
    guard !isIgnored(SIGTSTP) else { return }
    var due: (() -> Void)?
    try loop.onSignal(SIGTSTP) { [unowned loop] in
      due = { [unowned loop] in
        willStop()
        loop.stopAllGroups()
        kill(getpid(), SIGSTOP)
        didContinue()
      }
      // Lua code may have delayed the handler. Signals that arrived later are known after this
      // turn, and the stop may be obsolete.
      loop.enqueue(
        onLoop {
          if !Interruption.hasCome { due?() }
          due = nil
        })
    }
    try loop.onSignal(SIGCONT) { [unowned loop] in
      due = nil
      loop.signalAllGroups(SIGCONT)
    }
  }

}
