import Platform

/// The terminal that the user sits at, whatever standard input is, while a child's group owns it.
final class LentTerminal {
  let descriptor: Int32
  private let owner = getpgrp()
  private var modes = termios()

  /// Nil where there is no terminal, or another group owns it.
  init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0, tcgetpgrp(descriptor) == owner, tcgetattr(descriptor, &modes) == 0
    else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func lend(to group: pid_t) { setOwner(group) }

  /// Also for a child that has not given it away: it is ours again whatever happened.
  func takeBack() { setOwner(owner) }

  /// Takes it back from a child that had no time to leave it as it was.
  func restore() {
    takeBack()
    tcsetattr(descriptor, TCSADRAIN, &modes)
  }

  /// Stops our own group, as the child has stopped and with it what the user sees; continues the child
  /// when we are continued.
  func stopWith(_ child: ProcessGroup) {
    takeBack()
    var usual = sigaction()
    var former = sigaction()
    sigemptyset(&usual.sa_mask)
    sigaction(SIGTSTP, &usual, &former)
    // The whole group, so that a shell script around us stops as well.
    kill(0, SIGTSTP)
    sigaction(SIGTSTP, &former, nil)
    lend(to: child.id)
    child.send(SIGCONT)
  }

  private func setOwner(_ group: pid_t) {
    // From the background this would stop us.
    var blocked = sigset_t()
    var former = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &blocked, &former)
    tcsetpgrp(descriptor, group)
    pthread_sigmask(SIG_SETMASK, &former, nil)
  }
}
