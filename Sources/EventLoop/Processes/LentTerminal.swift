import Platform

/// The user's controlling terminal, regardless of standard input, while a child's group owns it.
final class LentTerminal {
  let descriptor: Int32
  private let owner = getpgrp()
  private var modes = termios()

  /// Fails if there is no terminal, or another group owns it.
  init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0, tcgetpgrp(descriptor) == owner, tcgetattr(descriptor, &modes) == 0
    else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func lend(to group: pid_t) { setOwner(group) }

  /// Takes the terminal back, even if the child has changed its owner.
  func takeBack() { setOwner(owner) }

  /// Takes it back from a child that had no time to restore its settings.
  func restore() {
    takeBack()
    tcsetattr(descriptor, TCSADRAIN, &modes)
  }

  /// Stops our own group, because the child that the user sees has stopped; continues the child
  /// when we are continued.
  func stopWith(_ child: ProcessGroup) {
    takeBack()
    var usual = sigaction()
    var former = sigaction()
    sigemptyset(&usual.sa_mask)
    sigaction(SIGTSTP, &usual, &former)
    // Stops the whole group, so that a shell script around us stops as well.
    kill(0, SIGTSTP)
    sigaction(SIGTSTP, &former, nil)
    lend(to: child.id)
    child.send(SIGCONT)
  }

  private func setOwner(_ group: pid_t) {
    // SIGTTOU would stop us if we are in the background.
    var blocked = sigset_t()
    var former = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &blocked, &former)
    tcsetpgrp(descriptor, group)
    pthread_sigmask(SIG_SETMASK, &former, nil)
  }
}
