import Platform
import Reactive

/// The observers of a service's status. Each receives every change that comes after it, and all receive
/// them in one order, although observers may cause changes while they are called. Confined to the loop's
/// thread.
final class ServiceObservers {
  private var observers: [Int: (since: Int, call: (ServiceStatus) -> Void)] = [:]
  private var lastObserver = 0
  /// The number of statuses so far.
  private var statusCount = 0
  /// The statuses that have yet to be delivered.
  private var undelivered: [(number: Int, status: ServiceStatus)] = []
  private var isDelivering = false

  var isEmpty: Bool { observers.isEmpty }

  /// Adds an observer of the changes from now on.
  ///
  /// - Returns: removes it.
  func add(_ observer: @escaping (ServiceStatus) -> Void) -> any Disposable {
    lastObserver += 1
    let number = lastObserver
    observers[number] = (statusCount, observer)
    return ActionDisposable(onLoop { [weak self] in self?.observers[number] = nil })
  }

  /// Delivers a status, after those that are being delivered.
  func send(_ status: ServiceStatus) {
    statusCount += 1
    undelivered.append((statusCount, status))
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    while !undelivered.isEmpty {
      let (count, status) = undelivered.removeFirst()
      for (number, observer) in observers.sorted(by: { $0.key < $1.key })
      where observer.since < count && observers[number] != nil { observer.call(status) }
    }
  }
}
