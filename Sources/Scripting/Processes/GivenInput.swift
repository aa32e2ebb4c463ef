import Commands
import EventLoop
import LuaRuntime
import Platform

/// The runner's own standard input, which belongs to one command.
extension ScriptHost {
  /// Gives standard input, and the terminal for as long as they read from it, to the processes that
  /// the work of an execution starts, one after the other.
  package func giveInput(to execution: Execution<LuaValue, LuaValue>) {
    execution.script.ownsInput = true
  }

  /// True if nothing could have read standard input: no process has had it, and no code of Lua has
  /// asked for it.
  package var isInputUnused: Bool {
    !hasGivenInput && !readsInput && !isStandardInputBuffered
  }
}

extension ScriptExecution {
  /// True if processes that it starts now have the runner's standard input: those of its work, and of
  /// the executions that its work starts, without what these need. Those of a cached command have none,
  /// because what they read would decide what they make.
  var hasInput: Bool {
    guard isWorking, !scriptCommand.host.readsInput, scriptCommand.description.caching == nil
    else { return false }
    return ownsInput || (!isNeeded && outer?.hasInput == true)
  }
}

extension ProcessRequest {
  /// Gives the process the runner's standard input. It owns the terminal from the moment when it uses
  /// it.
  mutating func inheritInput() {
    // With a terminal of its own, nothing would stop it from reading what is typed for the shell.
    if case .terminal = output {
      if isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) != getpgrp() { return }
    } else {
      terminal = .whileUsed
    }
    input = .inherit
  }
}

extension ChildProcess {
  /// True if Ctrl-C has ended a program that was lent the terminal, where it was meant for the whole
  /// run. A program that survives Ctrl-C does not end by SIGINT.
  var wasInterrupted: Bool { isLentTerminal && programStatus == .signalled(SIGINT) }

  /// Raises the SIGINT that ended it, if it was meant for the whole run.
  func passOnInterrupt() {
    // At once, before other code continues as if the signal had not come.
    if wasInterrupted { raise(SIGINT) }
  }
}
