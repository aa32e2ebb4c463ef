import Platform
import Synchronization

/// The limit of open files, of which an event loop with many children needs a multiple.
///
/// The soft limit is low because `select` cannot handle more; Raclette does not use it, but its
/// children may, and so they start with the limit that this process was started with.
public enum OpenFiles {
  private static let former = Mutex<rlimit?>(nil)

  /// The limit to restore in children; nil if it has not been changed.
  static var inherited: rlimit? { former.withLock { $0 } }

  /// The most files that this process wants: a hard limit may be without end.
  private static let most: rlim_t = 1 << 20

  /// Raises the soft limit as far as the hard one allows. Call it once, before anything else.
  public static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(descriptorLimit, &limit) == 0 else { return }
    let own = limit
    limit.rlim_cur = min(limit.rlim_max, most)
    guard limit.rlim_cur > own.rlim_cur, setrlimit(descriptorLimit, &limit) == 0 else { return }
    former.withLock { $0 = own }
  }
}
