import Synchronization

/// A number that closures on any thread count up.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .acquiring) }

  @discardableResult
  func increment() -> Int {
    count.add(1, ordering: .acquiringAndReleasing).newValue
  }
}
