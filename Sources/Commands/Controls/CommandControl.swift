/// A control that executes a command: a button, a menu item, a key. RAC: the categories
/// `UIButton(RACCommandSupport)` and `UIBarButtonItem(RACCommandSupport)`, free of UIKit.
///
/// A type conforms by storing what the requirements name; its `command` property is provided.
public protocol CommandControl: AnyObject, Sendable {
  /// The type of the command's input; often the control itself.
  associatedtype Sender: Sendable
  /// The type of the values that the command's executions send.
  associatedtype Output: Sendable

  /// True if the control can be triggered. Set on the command's scheduler.
  var isEnabled: Bool { get set }

  /// The action that the control performs when it is triggered.
  var action: ControlAction? { get set }

  /// The value passed to the command when the control is triggered.
  var sender: Sender { get }

  /// The storage of `command`.
  var binding: ControlBinding<Sender, Output> { get }

  /// Executes a command for the control, by default with its `sender`.
  func execute(_ command: Command<Sender, Output>)
}

extension CommandControl {
  /// The command the control executes. RAC: `rac_command`.
  ///
  /// Setting one binds `isEnabled` to the command's `enabled`, whose value it follows from then on,
  /// and makes `execute(sender)` the control's action. The binding replaces an action that other
  /// code had set, and reports that. The previous command is unbound first. Setting nil removes the
  /// action and leaves the control enabled.
  public var command: Command<Sender, Output>? {
    get { binding.command }
    set { binding.bind(self, to: newValue) }
  }

  /// Executes the command with the control's `sender`.
  public func execute(_ command: Command<Sender, Output>) {
    command.execute(sender)
  }
}
