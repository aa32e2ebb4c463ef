/// What the workloads send.
protocol BenchmarkValue: Sendable {
  init(number: Int)
  var number: Int { get }
}

extension BenchmarkValue {
  @inline(__always)
  func plus(_ other: Int) -> Self { Self(number: number &+ other) }

  @inline(__always)
  func times(_ factor: Int) -> Self { Self(number: number &* factor) }
}

extension Int: BenchmarkValue {
  init(number: Int) { self = number }
  var number: Int { self }
}

/// A value of the size and the kind of a Lua value: 16 bytes, copied with care for a reference.
enum Payload: BenchmarkValue {
  case empty
  case flag(Bool)
  case integer(Int)
  case real(Double)
  case text(Text)

  final class Text: Sendable {}

  init(number: Int) { self = .integer(number) }

  var number: Int {
    if case .integer(let number) = self { number } else { 0 }
  }
}

/// Where values end up, so that nothing is optimised away.
final class Sink<Value: BenchmarkValue>: @unchecked Sendable {
  // Unchecked: of one thread.
  @exclusivity(unchecked)
  private var sum = 0

  @inline(__always)
  func receive(_ value: Value) { sum &+= value.number }
}

/// State that a floor keeps between two values, of one thread.
final class Cell<State>: @unchecked Sendable {
  // Unchecked: of one thread.
  @exclusivity(unchecked)
  var state: State

  init(_ state: State) { self.state = state }
}
