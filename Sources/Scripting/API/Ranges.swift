import LuaRuntime
import Reactive

extension APICall {
  /// Counts as Lua's `for` does: with integers if the first number and the step are.
  func range() throws -> LuaOutcome {
    let step = has(3) ? value(at: 3) : .integer(1)
    guard case .integer(let first) = value(at: 1), case .integer(let step) = step else {
      return try floatRange()
    }
    guard step != 0 else { throw LuaArgumentError.value(at: 3, problem: "'step' is zero") }
    // One that no integer reaches leaves nothing to send.
    let limits = try limit(step: step).map { (Int(first), Int($0), Int(step)) } ?? (1, 0, 1)
    let numbers = stride(from: limits.0, through: limits.1, by: limits.2)
    return newSignal(
      IntegerRangeSignal(
        from: limits.0, through: limits.1, by: limits.2,
        sending: host.sending { numbers.lazy.map { .integer(Int64($0)) } }))
  }

  /// Returns the last integer that a count by `step` may reach; nil if the limit lies beyond all
  /// integers in the other direction.
  private func limit(step: Int64) throws -> Int64? {
    if case .integer(let last) = value(at: 2) { return last }
    let last = try number(at: 2)
    if let integer = Int64(exactly: last.rounded(step > 0 ? .down : .up)) { return integer }
    guard (last > 0) == (step > 0) else { return nil }
    return last > 0 ? .max : .min
  }

  private func floatRange() throws -> LuaOutcome {
    let (first, last) = (try number(at: 1), try number(at: 2))
    let step = has(3) ? try number(at: 3) : 1
    guard step != 0 else { throw LuaArgumentError.value(at: 3, problem: "'step' is zero") }
    // Floats are the farther apart the greater they are: a count that stands still would never end.
    let largest = max(first.magnitude, last.isFinite ? last.magnitude : 0)
    if step > 0 ? first <= last : first >= last,
      step.magnitude <= largest.ulp / 2 || first.isInfinite
    {
      throw LuaArgumentError.value(
        at: 3, problem: "'step' is too small to be added to numbers as large as the limits")
    }
    return newSignal(host.sending { FloatCount(number: first, last: last, step: step) })
  }

  private func number(at index: Int) throws -> Double {
    let number = try lua.number(at: index)
    guard !number.isNaN else {
      throw LuaArgumentError.value(at: index, problem: "it is not a number")
    }
    return number
  }
}

/// Counts with floats as Lua does: it adds the step again and again.
private struct FloatCount: Sequence, IteratorProtocol {
  var number: Double
  let last: Double
  let step: Double

  mutating func next() -> LuaValue? {
    guard step > 0 ? number <= last : number >= last else { return nil }
    defer { number += step }
    return .number(number)
  }
}
