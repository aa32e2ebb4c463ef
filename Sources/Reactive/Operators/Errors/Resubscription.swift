import Synchronization

/// Subscribes to a signal again and again in a loop: a round that ends inside its own subscription
/// continues the loop instead of nesting the next round.
final class Resubscription<Value: Sendable>: Sendable {
  private let source: Signal<Value>
  private let observer: Observer<Value>
  private let subscription: CompoundDisposable
  /// Returns true if another round follows an end.
  private let goesOn: @Sendable (Termination) -> Bool
  /// The number of rounds requested and not begun, including the one being subscribed.
  private let requests = Atomic<Int>(0)

  init(
    _ source: Signal<Value>, _ observer: Observer<Value>, in subscription: CompoundDisposable,
    while goesOn: @escaping @Sendable (Termination) -> Bool
  ) {
    self.source = source
    self.observer = observer
    self.subscription = subscription
    self.goesOn = goesOn
  }

  func request() {
    guard requests.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    goRound()
  }

  private func goRound() {
    var stretch = Stretch()
    repeat {
      guard !subscription.isDisposed else { return }
      switch stretch.step() {
      case .goOn: subscribe()
      case .pause(let pause): return pause.end(in: subscription) { self.goRound() }
      case .fail(let error): return observer.end(.error(error))
      }
    } while requests.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }

  private func subscribe() {
    let round = subscription.makeChild()
    source.observe(
      Observer(
        next: observer.next, batch: observer.batch,
        end: { [self] termination in
          round.dispose()
          if subscription.isDisposed { return }
          if goesOn(termination) { request() } else { observer.end(termination) }
        }), in: round)
  }
}
