import Reactive
import Synchronization

/// The binding between a control and its command; a control stores one. It ends with the control.
public final class ControlBinding<Sender: Sendable, Output: Sendable>: Sendable {
  private struct State {
    var command: Command<Sender, Output>?
    var enabled: CompoundDisposable?
    var action: ControlAction?
  }

  private let state = Mutex(State())
  private let report: @Sendable (ControlWarning) -> Void
  let refreshes = Refreshes()

  /// A binding without a command.
  ///
  /// - Parameter report: receives warnings on the thread that sets the command; by default they are
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
    let action = command.map { command in
      ControlAction { [weak control] in control?.execute(command) }
    }
    let subscription = CompoundDisposable()
    let old = state.withLock { state in
      defer { state = State(command: command, enabled: subscription, action: action) }
      return state
    }
    old.enabled?.dispose()
    // Any code called from here on may bind another command, which disposes this subscription.
    let current = control.action
    let isOwn = current === old.action
    if let command, current != nil, !isOwn {
      report(.displacedAction(control: "\(Control.self)", command: command.name))
      if subscription.isDisposed { return }
    }
    if command != nil || isOwn { control.action = action }
    if subscription.isDisposed { return }
    guard let command else {
      control.isEnabled = true
      return
    }
    command.enabled.observe(
      Observer(next: { [weak control] in control?.isEnabled = $0 }, end: { _ in }),
      in: subscription)
  }
}
