/// The action a control performs when it is triggered: a click, a pull to refresh.
///
/// It is an object, so that a binding can tell its own action from another.
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

/// A warning about a control, for the programmer.
public enum ControlWarning: Sendable, Equatable {
  /// A command replaced an action that other code had set.
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
