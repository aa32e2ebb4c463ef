import EventLoop
import LuaRuntime
import RunnerCore

/// The number and the rate of the values of a signal, and the latest numbers among them as a curve.
struct SignalMeter {
  private(set) var count = 0
  /// The times of the latest values, and the latest numbers, of which the oldest is replaced.
  private var times: [Duration] = []
  private var numbers: [Double] = []
  private var numberCount = 0

  private static let memory = 32
  private static let curveLength = 24

  mutating func add(_ value: LuaValue, at time: Duration = EventLoop.now) {
    if times.count < Self.memory { times.append(time) } else { times[count % Self.memory] = time }
    count += 1
    guard value.type == .number, let number = value.numberValue, number.isFinite else { return }
    if numbers.count < Self.curveLength {
      numbers.append(number)
    } else {
      numbers[numberCount % Self.curveLength] = number
    }
    numberCount += 1
  }

  /// `12 values, 3.4/s ▁▂▅█`
  func text(at now: Duration = EventLoop.now) -> String {
    let curve = curve.map { " \($0)" } ?? ""
    return "\(count) value\(count == 1 ? "" : "s")\(rate(at: now))\(curve)"
  }

  private func rate(at now: Duration) -> String {
    guard count > 1, let first = times.min(), now > first else { return "" }
    let perSecond = Double(times.count) / ((now - first) / .seconds(1))
    let tenths = Int((min(perSecond, 1e9) * 10).rounded())
    return tenths < 1_000 ? ", \(tenths / 10).\(tenths % 10)/s" : ", \(tenths / 10)/s"
  }

  /// The latest numbers as bars between the lowest and the highest; nil for fewer than three.
  var curve: String? {
    guard numbers.count > 2, let low = numbers.min(), let high = numbers.max() else { return nil }
    let start = numberCount > numbers.count ? numberCount % Self.curveLength : 0
    let bars = Array("▁▂▃▄▅▆▇█")
    return String(
      (numbers[start...] + numbers[..<start]).map { number in
        high > low ? bars[Int((number - low) / (high - low) * 7)] : bars[3]
      })
  }
}
