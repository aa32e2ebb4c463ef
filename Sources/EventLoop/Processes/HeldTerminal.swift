extension EventLoop {
  /// Keeps the terminal from children, for a program that reads keys itself: one that owns the terminal
  /// loses it and stops, and one that wants it stops until `lendTerminal()`. Loop's thread.
  ///
  /// When this returns, the terminal is in the foreground of this process and in the modes that it had
  /// before it was lent, and no child changes that until `releaseTerminal()`.
  public func holdTerminal() {
    confine()
    children.holdsTerminal = true
    for process in children.all { process.yieldTerminal() }
  }

  /// Lets children that want the terminal own it again. Those that have stopped meanwhile stay stopped.
  /// Loop's thread.
  public func releaseTerminal() {
    confine()
    children.holdsTerminal = false
  }

  /// Lends the terminal to the first child that has stopped because it wants it, and continues it. Loop's
  /// thread.
  public func lendTerminal() {
    confine()
    for process in children.all where process.borrowIfWaiting() { return }
  }
}
