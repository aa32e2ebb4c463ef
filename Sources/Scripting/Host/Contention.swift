/// A wait for what others have: the resources that a command uses, or a place of its limit over the
/// machine.
public struct Contention: Sendable {
  /// The name of the command whose execution waits.
  public let command: String
  /// What it waits for, such as `gpu = 2`; nil for a place of its limit over the machine.
  public let resources: String?
  /// Who has it, as a sentence without its period.
  public let holder: String
  /// False if the command has waited for its resources before: a batch may have thousands that do.
  public let isFirst: Bool

  /// What it does, as the end of a sentence that begins with its name.
  public var text: String { "waits\(resources.map { " for \($0)" } ?? ""): \(holder)" }
}
