import Reactive
import Synchronization

/// The bond between a control and its command; a control stores one. It ends with the control.
public final class ControlBinding<Sender: Sendable, Output: Sendable>: Sendable {
  private struct State {
    var command: Command<Sender, Output>?
    var enabled: (any Disposable)?
    var action: ControlAction?
  }

  private let state = Mutex(State())
  private let report: @Sendable (ControlWarning) -> Void
  let refreshes = Refreshes()

  /// A binding without a command.
  ///
  /// - Parameter report: receives warnings, on the thread that sets the command; by default they are
  ///   written to standard error.
  public init(report: (@Sendable (ControlWarning) -> Void)? = nil) {
    self.report = report ?? { writeToStandardError("warning: \($0)") }
  }

  deinit {
    state.withLock { $0.enabled }?.dispose()
  }

  var command: Command<Sender, Output>? { state.withLock { $0.command } }

  func bind<Control: CommandControl>(_ control: Control, to command: Command<Sender, Output>?)
  where Control.Sender == Sender, Control.Output == Output {
    let old = state.withLock { state in
      defer { state = State(command: command) }
      return state
    }
    old.enabled?.dispose()
    let current = control.action
    let isOwn = current === old.action
    guard let command else {
      if isOwn { control.action = nil }
      control.isEnabled = true
      return
    }
    if current != nil, !isOwn {
      report(.displacedAction(control: "\(Control.self)", command: command.name))
    }
    let action = ControlAction { [weak control] in control?.execute(command) }
    control.action = action
    state.withLock { $0.action = action }
    let enabled = command.enabled.subscribe(next: { [weak control] in control?.isEnabled = $0 })
    keep(enabled, for: command)
  }

  /// Keeps the subscription of `enabled`, unless an observer has bound another command meanwhile.
  private func keep(_ enabled: any Disposable, for command: Command<Sender, Output>) {
    let isCurrent = state.withLock { state in
      guard state.command === command, state.enabled == nil else { return false }
      state.enabled = enabled
      return true
    }
    if !isCurrent { enabled.dispose() }
  }
}
