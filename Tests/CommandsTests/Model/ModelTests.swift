import Commands
import Testing

/// Random sequences of everything that can happen to a command, against a plain model.
@Suite struct ModelTests {
  /// Why a command differs from the model after some step; nil if it does not.
  private static func difference(_ setting: Setting, _ steps: [Step]) -> String? {
    var shop = Workshop()
    let difference = compare(CommandUnderTest(setting, shop), setting, steps)
    // The turn in which the signals of the dropped command complete.
    shop.advance()
    if difference == nil, !isKnownUniquelyReferenced(&shop) {
      return "something holds the workshop"
    }
    return difference
  }

  private static func compare(
    _ command: CommandUnderTest, _ setting: Setting, _ steps: [Step]
  ) -> String? {
    var model = ReferenceModel(setting)
    for (index, step) in (steps + [.turn]).enumerated() {
      command.take(step)
      model.take(step)
      let place = "after step \(index), \(step)"
      if command.log != model.log {
        return "\(place):\n  log \(command.log)\n  not \(model.log)"
      }
      if command.refusal != model.refusal {
        return "\(place): refusal \(command.refusal ?? "-"), not \(model.refusal ?? "-")"
      }
      if command.active != model.active {
        return "\(place): active \(command.active), not \(model.active)"
      }
      if command.queue != model.queue {
        return "\(place): queue \(command.queue), not \(model.queue)"
      }
      for (number, execution) in command.executions.enumerated() where execution.input == number {
        let expected = model.attempts[number].state
        if execution.state != expected {
          return "\(place): state of \(number) \(execution.state), not \(expected)"
        }
      }
    }
    return command.isReleasedAtTheEnd() ? nil : "something is left at the end"
  }

  @Test(.timeLimit(.minutes(5))) func aCommandDoesWhatTheModelDoes() {
    let sequences = LongRun.isEnabled ? 200_000 : 4_000
    for seed in 1...UInt64(sequences) {
      var random = SplitMix(seed: seed)
      let setting = Setting.random(&random)
      var steps: [Step] = []
      var attempts = 0
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let step = Step.random(attempts: attempts, &random)
        if step == .execute { attempts += 1 }
        steps.append(step)
      }
      guard Self.difference(setting, steps) != nil else { continue }
      let shortest = shrunk(steps) { Self.difference(setting, $0) != nil }
      Issue.record(
        """
        seed \(seed), \(setting)
        \(shortest)
        \(Self.difference(setting, shortest) ?? "")
        """)
      return
    }
  }

  // The search for the shortest failure is itself no better than its test.

  @Test func shrinkingLeavesTheStepsThatMatter() {
    let steps = Array(0..<100)
    let shortest = shrunk(steps) { $0.contains(17) && $0.contains(71) && $0.contains(72) }
    #expect(shortest == [17, 71, 72])
  }

  @Test func shrinkingKeepsAFailureThatNeedsEverything() {
    #expect(shrunk([1, 2, 3]) { $0 == [1, 2, 3] } == [1, 2, 3])
  }
}
