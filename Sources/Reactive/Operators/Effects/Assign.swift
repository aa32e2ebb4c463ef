extension Signal {
  /// Subscribes, and sets a property of an object to each value. RAC: `setKeyPath:onObject:`.
  ///
  /// - Values: set as they come.
  /// - Error: ends the assignment; the property keeps its last value. As with every subscription
  ///   without a closure for it, the error is dropped.
  /// - Completion: ends the assignment.
  /// - Disposal: of what is returned, disposes the source; so does the first value that finds the
  ///   object gone, which the subscription does not keep.
  /// - Scheduler: sets where the source sends.
  ///
  /// - Parameters:
  ///   - keyPath: the property, which is set by one signal at a time.
  ///   - object: kept by its other owners.
  @discardableResult
  public func assign<Root: AnyObject & Sendable>(
    to keyPath: any ReferenceWritableKeyPath<Root, Value> & Sendable, on object: Root
  ) -> any Disposable {
    let subscription = CompoundDisposable()
    observe(
      Observer(
        next: { [weak object] value in
          guard let object else { return subscription.dispose() }
          object[keyPath: keyPath] = value
        }, end: { _ in subscription.dispose() }), in: subscription)
    return subscription
  }

  /// Subscribes, and sets an optional property of an object to each value. RAC:
  /// `setKeyPath:onObject:`.
  ///
  /// - Values: set as they come.
  /// - Error: ends the assignment; the property keeps its last value. As with every subscription
  ///   without a closure for it, the error is dropped.
  /// - Completion: ends the assignment.
  /// - Disposal: of what is returned, disposes the source; so does the first value that finds the
  ///   object gone, which the subscription does not keep.
  /// - Scheduler: sets where the source sends.
  @discardableResult
  public func assign<Root: AnyObject & Sendable>(
    to keyPath: any ReferenceWritableKeyPath<Root, Value?> & Sendable, on object: Root
  ) -> any Disposable {
    map { Optional($0) }.assign(to: keyPath, on: object)
  }
}
