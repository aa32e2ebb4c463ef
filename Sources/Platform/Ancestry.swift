/// A process and those that have led to it: the one that has started it, the one that has started that,
/// and so on, as far as they run.
public struct Ancestry: Sendable {
  private let processes: [Int32]

  /// Those of this process at present.
  public static var own: Ancestry {
    var processes = [getpid()]
    var next = getppid()
    // An id that comes up again belongs to another process by now.
    while next > 1, !processes.contains(next) {
      processes.append(next)
      next = statusFields(of: "\(next)")?["PPid"].flatMap { Int32($0) } ?? 0
    }
    return Ancestry(processes: processes)
  }

  /// True if the process with an id is one of them.
  public func contains(_ process: Int32) -> Bool { processes.contains(process) }
}
