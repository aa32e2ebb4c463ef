/// A wait of a command's executions for resources, or for a place of its limit over the machine, that
/// others hold, or for a service that is not ready.
public struct Contention: Sendable, Equatable {
  /// The name of the command whose execution waits.
  public let command: String
  /// The resources, such as `gpu = 2`; nil for a place of the limit over the machine and for
  /// a service.
  public let resources: String?
  /// The present holder, or the service, as a sentence without its period.
  public let holder: String
  /// False if a wait of the command for its resources was reported before.
  public let isFirst: Bool

  /// Makes a contention.
  package init(command: String, resources: String?, holder: String, isFirst: Bool) {
    (self.command, self.resources, self.holder, self.isFirst) = (
      command, resources, holder, isFirst
    )
  }

  /// The end of a sentence that begins with the command's name.
  public var text: String { "waits\(resources.map { " for \($0)" } ?? ""): \(holder)" }
}
