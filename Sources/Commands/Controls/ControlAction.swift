/// What a control does when it is triggered: a click, a pull to refresh.
///
/// An object, so that a binding can tell its own action from another.
public final class ControlAction: Sendable {
  private let body: @Sendable () -> Void

  /// An action that runs `body`.
  public init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  /// Runs the action; the control does it when it is triggered.
  public func perform() {
    body()
  }
}

/// Something about a control that a programmer should know of.
public enum ControlWarning: Sendable, Equatable {
  /// A command took the place of an action that somebody else had set.
  case displacedAction(control: String, command: String?)
}

extension ControlWarning: CustomStringConvertible {
  /// One readable line.
  public var description: String {
    switch self {
    case .displacedAction(let control, let command):
      "the command \(command.map { "'\($0)' " } ?? "")replaces an action that \(control) had"
    }
  }
}
