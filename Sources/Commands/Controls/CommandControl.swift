/// A control that executes a command: a button, a menu item, a key. RAC: the categories
/// `UIButton(RACCommandSupport)` and `UIBarButtonItem(RACCommandSupport)`, free of UIKit.
///
/// A type conforms by storing what the requirements name; its `command` property is provided.
public protocol CommandControl: AnyObject, Sendable {
  /// What the command gets as its input; often the control itself.
  associatedtype Sender: Sendable
  /// What the command's executions send.
  associatedtype Output: Sendable

  /// Whether the control can be triggered. Set on the command's scheduler.
  var isEnabled: Bool { get set }

  /// What the control performs when it is triggered.
  var action: ControlAction? { get set }

  /// What is passed to the command when the control is triggered.
  var sender: Sender { get }

  /// The storage of `command`.
  var binding: ControlBinding<Sender, Output> { get }

  /// Executes a command for the control, by default with its `sender`.
  func execute(_ command: Command<Sender, Output>)
}

extension CommandControl {
  /// The command the control executes. RAC: `rac_command`.
  ///
  /// Setting one binds `isEnabled` to the command's `enabled`, whose value holds from then on, and
  /// makes `execute(sender)` the control's action. An action that something else had set is
  /// displaced, which the binding reports. The command set before is unbound first. Setting nil
  /// removes the action and leaves the control enabled.
  public var command: Command<Sender, Output>? {
    get { binding.command }
    set { binding.bind(self, to: newValue) }
  }

  /// Executes the command with the control's `sender`.
  public func execute(_ command: Command<Sender, Output>) {
    command.execute(sender)
  }
}
