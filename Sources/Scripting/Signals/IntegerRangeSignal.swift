import LuaRuntime
import Reactive

/// The signal of `rac.range` with integers. A subscriber whose functions are all in Lua receives them
/// in a loop there.
final class IntegerRangeSignal: Signal<LuaValue>, @unchecked Sendable {
  // Unchecked only because its superclass is open: what it adds is immutable.

  private let first: Int
  private let last: Int
  let step: Int

  /// - Parameter signal: sends the same integers, one by one.
  init(from first: Int, through last: Int, by step: Int, sending signal: Signal<LuaValue>) {
    self.first = first
    self.last = last
    self.step = step
    super.init(signal)
  }

  /// The range in pieces, from the first integer to the last one of each.
  var pieces: Pieces { Pieces(from: first, through: last, by: step) }

  struct Pieces: Sequence, IteratorProtocol {
    /// The first integer of the next piece; nil after the last one.
    private var start: Int?
    /// The number of integers after it.
    private var rest: UInt
    private let step: Int

    /// The most integers in a piece.
    private static let longest: UInt = 1_000

    init(from first: Int, through last: Int, by step: Int) {
      start = (step > 0 ? first <= last : first >= last) ? first : nil
      // Bits, because the distance may exceed the integers.
      rest = UInt(bitPattern: step > 0 ? last &- first : first &- last) / step.magnitude
      self.step = step
    }

    mutating func next() -> (first: Int, last: Int)? {
      guard let first = start else { return nil }
      let further = Swift.min(rest, Self.longest - 1)
      // Within the range, although a part of the sum may not be.
      let last = first &+ Int(further) &* step
      start = rest > further ? last + step : nil
      if start != nil { rest -= further + 1 }
      return (first, last)
    }
  }
}
