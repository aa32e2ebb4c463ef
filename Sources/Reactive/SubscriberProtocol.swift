/// A receiver of a signal's events that takes part in its subscriptions: `Subject`, the subscriber
/// that `create` hands out, or a class of your own. RAC: `RACSubscriber`.
///
/// A receiver that ends disposes its subscriptions. One that has already ended disposes a new
/// subscription at once:
///
/// ```swift
/// final class FirstError: SubscriberProtocol {
///   let subscriptions = CompoundDisposable()
///   func didSubscribe(with disposable: any Disposable) { subscriptions.add(disposable) }
///   func sendNext(_ value: Int) {}
///   func sendError(_ error: any Error) { subscriptions.dispose() }
///   func sendCompleted() {}
/// }
/// ```
///
/// A subscription calls the sending methods one at a time, on the threads where the signal sends. A
/// receiver that is subscribed to several signals has to expect concurrent calls.
public protocol SubscriberProtocol<Value>: AnyObject, Sendable {
  /// The values it receives.
  associatedtype Value: Sendable

  /// Receives a value.
  func sendNext(_ value: Value)

  /// Receives the end of a stream by an error.
  func sendError(_ error: any Error)

  /// Receives the end of a stream without an error.
  func sendCompleted()

  /// Receives a new subscription to a signal, before the signal's work starts and so before its
  /// first event. Disposing it, now or later, ends that work. RAC: `didSubscribeWithDisposable:`.
  func didSubscribe(with disposable: any Disposable)
}

extension Signal {
  /// Forwards every event of this signal to a subject or a subscriber, which disposes the
  /// subscription when it ends. RAC: `subscribe:`.
  ///
  /// - Parameter subscriber: retained by the subscription. If it disposes the subscription at once,
  ///   as one that has ended does, the signal's work is started and disposed, and nothing arrives.
  /// - Returns: the subscription; disposing it stops the work. Releasing it does not.
  @discardableResult
  public func subscribe(_ subscriber: some SubscriberProtocol<Value>) -> any Disposable {
    let subscription = CompoundDisposable()
    forward(to: subscriber, in: subscription)
    return subscription
  }

  func forward(to subscriber: some SubscriberProtocol<Value>, in subscription: CompoundDisposable) {
    subscriber.didSubscribe(with: subscription)
    guard !subscription.isDisposed else {
      return observe(Observer { _ in }, in: subscription)
    }
    observe(
      Observer(
        next: { subscriber.sendNext($0) }, batch: (subscriber as? Subject<Value>)?.sendBatch,
        end: { termination in
          // RAC's order: the work is torn down before its end is delivered.
          subscription.dispose()
          switch termination {
          case .completed: subscriber.sendCompleted()
          case .error(let error): subscriber.sendError(error)
          }
        }), in: subscription)
  }
}
