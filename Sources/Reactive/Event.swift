/// One occurrence of a signal: a value, or the end of the stream with or without an error.
///
/// Signals deliver their events as separate calls; an `Event` exists where an occurrence is itself
/// a value: `materialize`, `dematerialize`, recordings. RAC: `RACEvent`.
@frozen
public enum Event<Value: Sendable>: Sendable {
  /// A value.
  case next(Value)
  /// The end of the stream by an error.
  case error(any Error)
  /// The end of the stream without an error.
  case completed

  /// The event for the end of a stream.
  public init(_ termination: Termination) {
    switch termination {
    case .completed: self = .completed
    case .error(let error): self = .error(error)
    }
  }

  /// True if nothing can follow this event.
  public var isTerminal: Bool {
    if case .next = self { false } else { true }
  }

  /// The value of a `next` event.
  public var value: Value? {
    if case .next(let value) = self { value } else { nil }
  }

  /// The error of an `error` event.
  public var error: (any Error)? {
    if case .error(let error) = self { error } else { nil }
  }

  /// The same event with its value transformed.
  public func map<Mapped>(_ transform: (Value) throws -> Mapped) rethrows -> Event<Mapped> {
    switch self {
    case .next(let value): .next(try transform(value))
    case .error(let error): .error(error)
    case .completed: .completed
    }
  }
}

/// The end of a stream.
@frozen
public enum Termination: Sendable {
  /// All values were sent.
  case completed
  /// The stream failed; no value follows.
  case error(any Error)
}

extension Event: Equatable where Value: Equatable {
  /// Returns true if both are the same kind of event with equal values; errors are compared like
  /// ``Termination``.
  public static func == (one: Event, other: Event) -> Bool {
    switch (one, other) {
    case (.next(let one), .next(let other)): one == other
    case (.error(let one), .error(let other)): areEqual(one, other)
    case (.completed, .completed): true
    default: false
    }
  }
}

extension Termination: Equatable {
  /// Returns true if both are completions, or errors of one type with the same
  /// `String(reflecting:)`, since an error need not be equatable.
  public static func == (one: Termination, other: Termination) -> Bool {
    switch (one, other) {
    case (.completed, .completed): true
    case (.error(let one), .error(let other)): areEqual(one, other)
    default: false
    }
  }
}

private func areEqual(_ one: any Error, _ other: any Error) -> Bool {
  type(of: one) == type(of: other) && String(reflecting: one) == String(reflecting: other)
}
