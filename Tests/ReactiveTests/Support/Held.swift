import Synchronization

/// Something that closures of a test share.
final class Held<Value: Sendable>: Sendable {
  private let stored: Mutex<Value?>

  init(_ value: Value? = nil) {
    stored = Mutex(value)
  }

  var value: Value? {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}
