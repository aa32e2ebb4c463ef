/// The maximum number of executions of a command that may run at a time.
public struct ConcurrencyLimit: Sendable, Hashable {
  /// The number; `Int.max` stands for no limit.
  public let count: Int

  /// A limit of `count` executions, at least one.
  public init(_ count: Int) {
    precondition(count > 0, "a command that may never execute cannot be asked for")
    self.count = count
  }

  /// One execution at a time.
  public static let serial = ConcurrencyLimit(1)

  /// Any number at a time.
  public static let unlimited = ConcurrencyLimit(.max)

  /// True if more than one execution may run. RAC: `allowsConcurrentExecution`.
  public var allowsConcurrentExecution: Bool { count > 1 }
}

extension ConcurrencyLimit: ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// A limit of as many executions as the literal states.
  public init(integerLiteral count: Int) {
    self.init(count)
  }

  /// The number, or "unlimited".
  public var description: String { self == .unlimited ? "unlimited" : String(count) }
}
