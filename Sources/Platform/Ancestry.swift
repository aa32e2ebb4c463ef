/// A process and those that have led to it: the one that has started it, the one that has started that,
/// and so on, as far as they run.
public struct Ancestry: Sendable {
  /// Their ids, the process itself first.
  public let processes: [Int32]

  /// Those of a process at present.
  public init(of process: Int32) {
    var processes = [process]
    var next = Self.parent(of: process)
    // An id that comes up again belongs to another process by now.
    while next > 1, !processes.contains(next) {
      processes.append(next)
      next = Self.parent(of: next)
    }
    self.processes = processes
  }

  private static func parent(of process: Int32) -> Int32 {
    statusFields(of: "\(process)")?["PPid"].flatMap { Int32($0) } ?? 0
  }

  /// True if the process with an id is one of them.
  public func contains(_ process: Int32) -> Bool { processes.contains(process) }
}
