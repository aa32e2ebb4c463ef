import Reactive

/// A command whose types of input and output are not known where it is used, as from an error.
///
/// A cast leads back to them: `command as? Command<Int, String>`.
public protocol UntypedCommand: AnyObject, Sendable {
  /// The name of the command, for messages.
  var name: String? { get }
  /// Whether `execute` would be taken; see `Command.enabled`.
  var enabled: Signal<Bool> { get }
  /// The same without the hop; see `Command.immediateEnabled`.
  var immediateEnabled: Signal<Bool> { get }
  /// Whether any execution runs; see `Command.executing`.
  var executing: Signal<Bool> { get }
  /// The error of each execution that fails; see `Command.errors`.
  var errors: Signal<any Error> { get }
  /// The error of each attempt that was rejected; see `Command.disabledErrors`.
  var disabledErrors: Signal<CommandError> { get }
  /// The error that `execute` would be rejected with at this moment; see `Command.disabledError`.
  var disabledError: CommandError? { get }
}

extension Command: UntypedCommand {}

/// The command that an error comes from.
///
/// It does not keep the command: errors are kept by executions and by those who observe them, and a
/// command that is dropped has to end. There is one for each command, so that two are equal if they
/// stand for the same command, whether that still exists or not. RAC: `RACUnderlyingCommandErrorKey`.
public final class CommandReference: Sendable {
  /// The name of the command, for messages; nil for an anonymous one.
  public let name: String?
  /// The command itself; nil once it was dropped.
  public weak let command: (any UntypedCommand)?

  init(_ command: any UntypedCommand) {
    name = command.name
    self.command = command
  }
}

extension CommandReference: Hashable {
  /// Whether both stand for the same command.
  public static func == (one: CommandReference, other: CommandReference) -> Bool { one === other }

  /// Hashes what makes two references equal.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CommandReference: CustomStringConvertible {
  /// The command as the subject of a sentence.
  public var description: String { name.map { "the command '\($0)'" } ?? "the command" }
}
