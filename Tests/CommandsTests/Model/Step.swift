import Commands

/// One thing that happens to a command in a model test. Executions and their works go by the number
/// of the attempt, from 0.
enum Step: Sendable, Hashable {
  case execute
  case send(Int)
  case complete(Int)
  case fail(Int)
  case cancel(Int)
  case endTeardown(Int)
  case condition(Bool)
  case limit(Int)
  case policy(BusyPolicy)
  case turn

  static func random(attempts: Int, _ random: inout SplitMix) -> Step {
    let one = Int.random(in: 0...max(attempts - 1, 0), using: &random)
    // The latest attempts are the ones that matter most.
    let number = Bool.random(using: &random) ? one : max(attempts - 1, 0)
    return switch Int.random(in: 0..<17, using: &random) {
    case 0...3: .execute
    case 4: .send(number)
    case 5, 6: .complete(number)
    case 7: .fail(number)
    case 8, 9: .cancel(number)
    case 10: .endTeardown(number)
    case 11: .condition(Bool.random(using: &random))
    case 12: .limit(Int.random(in: 1...3, using: &random))
    case 13: .policy(Setting.randomPolicy(&random))
    default: .turn
    }
  }
}

/// What a sequence of steps happens to.
struct Setting: Sendable, Hashable {
  var policy: BusyPolicy
  var limit: Int
  /// Whether works take until `endTeardown` to end.
  var isSlow: Bool

  static func random(_ random: inout SplitMix) -> Setting {
    Setting(
      policy: randomPolicy(&random),
      limit: Int.random(in: 1...3, using: &random), isSlow: Bool.random(using: &random))
  }

  static func randomPolicy(_ random: inout SplitMix) -> BusyPolicy {
    let policies: [BusyPolicy] = [
      .reject, .queue(), .queue(limit: 0), .queue(limit: 1), .queue(limit: 2), .restart, .join,
    ]
    return policies.randomElement(using: &random) ?? .reject
  }
}

/// A generator that gives the same numbers for the same seed.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

/// The shortest part of `steps` that still fails: no step can be left out of it.
func shrunk<Element>(
  _ steps: [Element], whereFails fails: ([Element]) -> Bool
) -> [Element] {
  var steps = steps
  var length = steps.count / 2
  while length > 0 {
    var start = 0
    var hasShrunk = false
    while start < steps.count {
      var shorter = steps
      shorter.removeSubrange(start..<min(start + length, steps.count))
      if fails(shorter) {
        steps = shorter
        hasShrunk = true
      } else {
        start += length
      }
    }
    if length > 1 || !hasShrunk { length /= 2 }
  }
  return steps
}
