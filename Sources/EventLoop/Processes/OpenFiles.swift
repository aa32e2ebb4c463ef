import Platform

/// The limit of open files, of which an event loop with many children needs a multiple.
///
/// The soft limit is low because `select` cannot handle more; Raclette does not use it, but its
/// children may, and so they start with the limit that this process was started with.
public enum OpenFiles {
  /// The limit to restore in children; nil if it has not been changed. Set before the first thread.
  nonisolated(unsafe) private(set) static var inherited: rlimit?

  /// The most files that this process wants: a hard limit may be without end.
  private static let most: rlim_t = 1 << 20

  /// Raises the soft limit as far as the hard one allows. Call it once, before anything else.
  public static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(descriptorLimit, &limit) == 0 else { return }
    let former = limit
    limit.rlim_cur = min(limit.rlim_max, most)
    guard limit.rlim_cur > former.rlim_cur, setrlimit(descriptorLimit, &limit) == 0 else { return }
    inherited = former
  }
}
