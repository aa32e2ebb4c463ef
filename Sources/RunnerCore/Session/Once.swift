import Platform

/// A value that closures on the loop's thread set once, and that no other thread may touch.
package final class Once<Value>: Sendable {
  private final class Storage {
    var value: Value?
  }

  private let storage = LoopBound(Storage())

  package init() {}

  package var value: Value? {
    get { storage.value.value }
    set { storage.value.value = newValue }
  }
}
