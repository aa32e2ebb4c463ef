import EventLoop

import Platform

/// Stopping and continuing, as by Ctrl-Z and `fg`: the children, whose groups the terminal does not
/// reach, stop and go on with the program.
enum JobControl {
  /// - Parameters:
  ///   - willStop: called before the program stops.
  ///   - didContinue: called when it goes on.
  static func follow(
    _ loop: EventLoop, willStop: @escaping () -> Void, didContinue: @escaping () -> Void
  ) throws {
    // Where the parent ignores it there is nobody who would let us go on.
    guard !isIgnored(SIGTSTP) else { return }
    let due = Once<() -> Void>()
    try loop.onSignal(SIGTSTP) { [unowned loop] in
      due.value = { [unowned loop] in
        willStop()
        loop.signalAllGroups(SIGTSTP)
        kill(getpid(), SIGSTOP)
        didContinue()
      }
      // It may have waited behind Lua code. What came behind it is known in a moment, and stopping may
      // be out of date.
      loop.enqueue {
        if !Interruption.hasCome { due.value?() }
        due.value = nil
      }
    }
    try loop.onSignal(SIGCONT) { [unowned loop] in
      due.value = nil
      loop.signalAllGroups(SIGCONT)
    }
  }

}
