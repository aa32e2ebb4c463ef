import Reactive

/// A source that sends when it is told to, subscribed to or not: like a thread that has looked whether
/// the subscription is disposed, and is then overtaken by others before it sends.
final class LateSource<Value: Sendable>: Sendable {
  private let observers = Held<[Observer<Value>]>([])

  var signal: Signal<Value> {
    Signal { [observers] observer, _ in observers.value?.append(observer) }
  }

  func next(_ value: Value) {
    for observer in observers.value ?? [] { observer.next(value) }
  }

  func end(_ termination: Termination) {
    for observer in observers.value ?? [] { observer.end(termination) }
  }
}
