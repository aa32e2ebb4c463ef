extension Signal<Bool> {
  /// Negates each value. RAC: `not`.
  ///
  /// - Values: the opposite of each.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func not() -> Signal<Bool> {
    map { !$0 }
  }
}

extension Signal where Value: Sequence, Value.Element == Bool {
  /// Sends whether all elements of each array are true. RAC: `and`.
  ///
  /// - Values: false if an element is false; true of an empty array.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func and() -> Signal<Bool> {
    map { $0.allSatisfy { $0 } }
  }

  /// Sends whether any element of each array is true. RAC: `or`.
  ///
  /// - Values: true if an element is true; false of an empty array.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func or() -> Signal<Bool> {
    map { $0.contains(true) }
  }
}

extension Signal {
  /// Tells of each tuple of booleans whether all of it is true. RAC: `and`.
  ///
  /// - Values: false if an element is false.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  public func and<each Element: Truth>() -> Signal<Bool> where Value == (repeat each Element) {
    truths(of: self).and()
  }

  /// Tells of each tuple of booleans whether any of it is true. RAC: `or`.
  ///
  /// - Values: true if an element is true.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  public func or<each Element: Truth>() -> Signal<Bool> where Value == (repeat each Element) {
    truths(of: self).or()
  }
}

/// What tuples for `and` and `or` consist of: `Bool`, which a requirement on tuples of any length can
/// name only through a protocol.
public protocol Truth: Sendable {
  /// The boolean.
  var isTrue: Bool { get }
}

extension Bool: Truth {
  /// The value itself.
  public var isTrue: Bool { self }
}

private func truths<each Element: Truth>(
  of signal: Signal<(repeat each Element)>
) -> Signal<[Bool]> {
  signal.map { tuple in
    var truths: [Bool] = []
    repeat truths.append((each tuple).isTrue)
    return truths
  }
}
