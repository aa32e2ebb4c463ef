import Scripting

/// One press of a control, by a page or another client. On the loop's thread.
final class PanelPress: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// The commands to execute; nil for a control that is not pressed.
  let plan: Plan?
  /// True if the questions of all commands of its run have been answered with yes.
  let isConfirmed: Bool
  /// The execution that it has made.
  var execution: PanelExecution?

  init(_ plan: Plan? = nil, isConfirmed: Bool = false) {
    self.plan = plan
    self.isConfirmed = isConfirmed
  }
}
