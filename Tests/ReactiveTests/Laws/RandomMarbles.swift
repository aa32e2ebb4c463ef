import Reactive
import ReactiveTesting

/// Random diagrams, the same in every run.
struct RandomMarbles {
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  /// A diagram of values, silence and groups that ends with a completion, an error, or not at all.
  mutating func source() -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...12, using: &generator) {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0...2: text += "-"
      case 3, 4: text += value()
      default: text += "(" + value() + value() + ")"
      }
    }
    return text + ["|", "|", "#", "-"].randomElement(using: &generator)!
  }

  /// A diagram that completes.
  mutating func completingSource() -> String {
    source().filter { $0 != "#" && $0 != "|" } + "|"
  }

  /// A frame in which a subscription is disposed, or nil.
  mutating func disposal() -> Int? {
    Bool.random(using: &generator) ? Int.random(in: 0...12, using: &generator) : nil
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func value() -> String { String(Int.random(in: 0...9, using: &generator)) }
}

/// Every diagram that a signal gives when it is subscribed to on a scheduler of its own and disposed
/// at a frame.
func diagram<Value: Sendable>(
  disposedAt frame: Int? = nil, _ make: (TestScheduler) throws -> Signal<Value>
) throws -> String {
  let scheduler = TestScheduler()
  let signal = try make(scheduler)
  let marks = frame.map { "^" + String(repeating: "-", count: $0) + "!" } ?? "^"
  let recorder = try scheduler.record(signal, marks)
  try scheduler.run()
  let broken = recorder.violations.map { " (\($0))" }.joined()
  return recorder.diagram + broken
}
