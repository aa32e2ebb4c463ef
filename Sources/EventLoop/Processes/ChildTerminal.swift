import Platform

/// What a child has to do with the terminal of the user: whether its group owns it, waits for it, or
/// reads it without owning it. Confined to the loop's thread.
final class ChildTerminal {
  private let loop: EventLoop
  private let use: ProcessRequest.Terminal
  private var lent: LentTerminal?
  /// The modes of the terminal, if the child reads it although it has one of its own.
  private let inputModes: InputModes?
  /// True if the child has stopped because it used the terminal while another child owns it.
  private var isAwaited = false
  /// True if the child's group has ever owned the terminal.
  private var wasOwned: Bool
  private var onWanted: (() -> Void)?

  init(_ loop: EventLoop, _ request: ProcessRequest, _ lent: LentTerminal?, _ modes: InputModes?) {
    self.loop = loop
    use = request.terminal
    self.lent = lent
    inputModes = modes
    wasOwned = lent != nil
    onWanted = request.onTerminalWanted
  }

  /// True while the child's group owns it.
  var isOwned: Bool { lent != nil }

  /// True if the child reads it while its program runs, whether it owns it or not.
  var isRead: Bool { isOwned || inputModes != nil }

  /// True if it was lent because the child used it.
  var wasLent: Bool { wasOwned && use != .always }

  // MARK: Events of the child

  /// The child has stopped: by Ctrl-Z, or because it uses a terminal that it does not own.
  func childHasStopped(by signal: Int32, _ group: ProcessGroup) {
    if let lent { return lent.stopWith(group) }
    guard signal == SIGTTIN || signal == SIGTTOU else { return }
    if use != .never, group.leaderStatus == nil {
      if lend(to: group) { return }
      isAwaited = loop.keepsTerminal || loop.hasLentTerminal
      if isAwaited, !loop.keepsTerminal { return }
    }
    onWanted?()
    onWanted = nil
  }

  /// Lends it to the child if that waits for it.
  ///
  /// - Returns: true if the child owns it now.
  func lendIfAwaited(to group: ProcessGroup) -> Bool { isAwaited && lend(to: group) }

  private func lend(to group: ProcessGroup) -> Bool {
    guard !loop.keepsTerminal, let terminal = LentTerminal() else { return false }
    lent = terminal
    (wasOwned, isAwaited) = (true, false)
    terminal.lend(to: group.id)
    group.send(SIGCONT)
    return true
  }

  /// The program has ended, while processes of its group may be left.
  ///
  /// - Parameter leavesScreen: true if it had the time to leave the screen as the user is to see it.
  func programHasEnded(leavesScreen: Bool) {
    if use != .always { giveBack(leavesScreen: leavesScreen) }
  }

  /// No process of the child is left.
  func childHasEnded(leavesScreen: Bool) {
    giveBack(leavesScreen: leavesScreen)
    inputModes?.restore()
  }

  private func giveBack(leavesScreen: Bool) {
    guard let lent else { return }
    lent.restore()
    if !leavesScreen { lent.resetScreen() }
    self.lent = nil
    loop.offerTerminal()
  }

  /// Takes it back, and forgets the handler.
  func release() {
    lent?.takeBack()
    lent = nil
    onWanted = nil
  }
}
