import Reactive

/// A command whose input and output types are unknown where it is used, for example in an error.
///
/// A cast restores the types: `command as? Command<Int, String>`.
public protocol UntypedCommand: AnyObject, Sendable {
  /// The name of the command, for messages.
  var name: String? { get }
  /// Sends true while `execute` would be accepted; see `Command.enabled`.
  var enabled: Signal<Bool> { get }
  /// The same without the hop to the scheduler; see `Command.immediateEnabled`.
  var immediateEnabled: Signal<Bool> { get }
  /// Sends true while any execution runs; see `Command.executing`.
  var executing: Signal<Bool> { get }
  /// The error of each execution that fails; see `Command.errors`.
  var errors: Signal<any Error> { get }
  /// The error of each attempt that was rejected; see `Command.disabledErrors`.
  var disabledErrors: Signal<CommandError> { get }
  /// The error that `execute` would be rejected with at this moment; see `Command.disabledError`.
  var disabledError: CommandError? { get }
}

extension Command: UntypedCommand {}

/// A weak reference to the command that an error comes from.
///
/// It does not retain the command: executions and observers keep errors, and releasing a command
/// has to end it. Each command has one reference, so two references are equal if they stand for the
/// same command, whether that still exists or not. RAC: `RACUnderlyingCommandErrorKey`.
public final class CommandReference: Sendable {
  /// The name of the command, for messages; nil for an anonymous one.
  public let name: String?
  /// The command itself; nil after it was released.
  public weak let command: (any UntypedCommand)?

  init(_ command: any UntypedCommand) {
    name = command.name
    self.command = command
  }
}

extension CommandReference: Hashable {
  /// Returns true if both references stand for the same command.
  public static func == (one: CommandReference, other: CommandReference) -> Bool { one === other }

  /// Hashes the identity of the reference.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CommandReference: CustomStringConvertible {
  /// The command as the subject of a sentence.
  public var description: String { name.map { "the command '\($0)'" } ?? "the command" }
}
