import Platform

/// The user's controlling terminal, regardless of standard input, while a child's group owns it.
final class LentTerminal {
  let descriptor: Int32
  private let owner = getpgrp()
  private var modes = termios()
  /// The modes that a child had set when it stopped.
  private var childModes: termios?
  /// True while a child's group owns it. False in the background, where the shell has it.
  ///
  /// We write to it all the same, also after `stty tostop`, where SIGTTOU would stop us.
  private var isLent = false {
    didSet { if isLent != oldValue { Self.mask(isLent ? SIG_BLOCK : SIG_UNBLOCK) } }
  }

  /// Fails if there is no terminal, or another group owns it.
  init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0, tcgetpgrp(descriptor) == owner, tcgetattr(descriptor, &modes) == 0
    else { return nil }
  }

  deinit {
    if isLent { Self.mask(SIG_UNBLOCK) }
    if descriptor >= 0 { close(descriptor) }
  }

  func lend(to group: pid_t) {
    isLent = true
    setOwner(group)
  }

  /// Lends it to the group of a child that takes it while it starts; takes it back if that fails.
  ///
  /// - Parameter start: starts the child and returns its process id.
  func lend(toGroupOf start: () throws -> pid_t) rethrows -> pid_t {
    isLent = true
    do {
      let pid = try start()
      lend(to: pid)
      return pid
    } catch {
      takeBack()
      throw error
    }
  }

  /// Takes the terminal back, even if the child has changed its owner.
  func takeBack() {
    if isLent { setOwner(owner) }
    isLent = false
  }

  /// Takes it back, and sets the modes that it had.
  func restore() {
    let isOurs = isLent
    takeBack()
    if isOurs { tcsetattr(descriptor, TCSADRAIN, &modes) }
  }

  /// Undoes what a child that had no time for it has asked of the screen: the alternate screen, a
  /// hidden cursor, reports of the mouse and of the focus, bracketed paste, keys of applications and
  /// colours.
  func resetScreen() {
    guard tcgetpgrp(descriptor) == owner, let name = getenv("TERM"), strcmp(name, "dumb") != 0
    else { return }
    // Not 1049, which would also move the cursor of a child that has not used it.
    let modes = ["1047", "1000", "1002", "1003", "1004", "1006", "1015", "2004", "1"]
    let text = modes.map { "\u{1B}[?\($0)l" }.joined() + "\u{1B}[?25h\u{1B}>\u{1B}[0m"
    Array(text.utf8).withUnsafeBytes { _ = writeBytes($0, to: descriptor) }
  }

  /// Stops our own group, because the child that the user sees has stopped; continues the child
  /// when we are continued, with the terminal if the shell has given it to us (`fg`, not `bg`).
  func stopWith(_ child: ProcessGroup) {
    // After `bg` and `fg` the child stops because it wants the terminal that we own.
    if !isLent, lendIfOwned(to: child) { return child.send(SIGCONT) }
    child.awaitStop()
    if isLent {
      var current = termios()
      if tcgetattr(descriptor, &current) == 0 { childModes = current }
    }
    restore()
    var usual = sigaction()
    var former = sigaction()
    sigemptyset(&usual.sa_mask)
    sigaction(SIGTSTP, &usual, &former)
    // Stops the whole group, so that a shell script around us stops as well.
    kill(0, SIGTSTP)
    sigaction(SIGTSTP, &former, nil)
    _ = lendIfOwned(to: child)
    child.send(SIGCONT)
  }

  private func lendIfOwned(to child: ProcessGroup) -> Bool {
    guard tcgetpgrp(descriptor) == owner else { return false }
    if var modes = childModes {
      tcsetattr(descriptor, TCSADRAIN, &modes)
      childModes = nil
    }
    lend(to: child.id)
    return true
  }

  private func setOwner(_ group: pid_t) {
    // SIGTTOU would stop us if we are in the background.
    var former = sigset_t()
    Self.mask(SIG_BLOCK, &former)
    tcsetpgrp(descriptor, group)
    pthread_sigmask(SIG_SETMASK, &former, nil)
  }

  /// Blocks or unblocks SIGTTOU for this thread; children begin with an empty mask.
  private static func mask(_ how: Int32, _ former: UnsafeMutablePointer<sigset_t>? = nil) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTTOU)
    pthread_sigmask(how, &signals, former)
  }
}
