/// The resources granted to requests and executions whose work has not begun: they wait for a job, or for
/// a slot of their command. An execution that has begun holds such a job and slot. If it has to wait for
/// a resource, it reclaims theirs, and they ask again later: otherwise each would wait for the other.
/// Confined to the loop's thread.
final class IdleHoldings {
  private var holders: [ObjectIdentifier: () -> Void] = [:]

  var isEmpty: Bool { holders.isEmpty }

  /// Adds a holder that does not work yet.
  ///
  /// - Parameter giveBack: gives back what it holds.
  func add(_ holder: AnyObject, giveBack: @escaping () -> Void) {
    holders[ObjectIdentifier(holder)] = giveBack
  }

  /// Removes a holder that works now, or holds nothing any more.
  func remove(_ holder: AnyObject) { holders[ObjectIdentifier(holder)] = nil }

  /// Makes all that are idle give back what they hold.
  func reclaim() {
    // What one gives back may let another begin its work, which then is idle no longer.
    while let (holder, giveBack) = holders.first {
      holders[holder] = nil
      giveBack()
    }
  }
}
