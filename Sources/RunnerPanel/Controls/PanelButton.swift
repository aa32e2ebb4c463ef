import Commands

/// The command that the controls of a script's command execute: each execution is a run of it, with
/// everything that it needs.
typealias PanelCommand = Command<PanelPress, Void>

/// A control that a page presses. On the loop's thread.
class PanelControl: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  var isEnabled = true { didSet { onChange() } }
  var action: ControlAction?
  /// What is executed when the control is triggered: the press that is being handled.
  var sender = PanelPress()
  let binding = ControlBinding<PanelPress, Void>()
  /// Called when `isEnabled` was set.
  var onChange: () -> Void = {}

  /// Triggers the control. A disabled one does nothing.
  func press(_ press: PanelPress) {
    sender = press
    if isEnabled { action?.perform() }
    sender = PanelPress()
  }
}

/// The button of one command, which every page shows. A press executes the command with the input of
/// the page's form. RAC: `UIButton` with its `rac_command`.
final class PanelButton: PanelControl, CommandControl, @unchecked Sendable {
  // Unchecked only because its superclass is.
}

/// The item of a command in the header of every page, with a fixed input. RAC: `UIBarButtonItem` with
/// its `rac_command`.
final class PanelBarItem: PanelControl, CommandControl, @unchecked Sendable {
  // Unchecked only because its superclass is.
}

/// The refresh control of a command on one page: `endRefreshing` tells that page of the end of each
/// execution, in order. RAC: `UIRefreshControl` with its `rac_command`.
final class PanelRefresher: PanelControl, RefreshControl, @unchecked Sendable {
  // Unchecked: confined to the loop, as its superclass is.
  private let onEnd: () -> Void

  init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }

  func endRefreshing() { onEnd() }
}
