import Scripting

/// One press of a control, by a page or another client. On the loop's thread.
final class PanelPress: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// The commands to execute; nil for a control that is not pressed.
  let plan: Plan?
  /// The input as JSON, as it was given; nil for none.
  let input: String?
  /// True if the questions of all commands of its run have been answered with yes.
  let isConfirmed: Bool
  /// What presses it; nil for a control that is not pressed.
  let by: Requester?
  /// The variables that its run begins with; nil for those of the interpreter.
  let caller: CallerEnvironment?
  /// The execution that it has made.
  var execution: PanelExecution?
  /// True if a shared queue has taken it; the execution comes later.
  var isHandedOver = false
  /// Called with the execution that a shared queue has made of it.
  var onDecision: (Result<PanelExecution, APIError>) -> Void = { _ in }

  /// One of a control that is not pressed.
  init() {
    plan = nil
    input = nil
    isConfirmed = false
    by = nil
    caller = nil
  }

  init(
    _ plan: Plan, by requester: Requester, for caller: CallerEnvironment?, isConfirmed: Bool,
    input: String?
  ) {
    self.plan = plan
    self.input = input
    self.isConfirmed = isConfirmed
    by = requester
    self.caller = caller
  }
}
