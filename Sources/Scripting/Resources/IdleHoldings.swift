/// What is promised to those that do not work yet: they wait for a job, or for a slot of their command.
/// An execution that has begun holds such a job and slot. If it has to wait for a resource, the idle give
/// back what they have, and ask again later: otherwise each would wait for the other for ever. Confined to
/// the loop's thread.
final class IdleHoldings {
  private var holders: [ObjectIdentifier: () -> Void] = [:]

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
    let giveBacks = holders.values
    holders = [:]
    for giveBack in giveBacks { giveBack() }
  }
}
