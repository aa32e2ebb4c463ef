import EventLoop
import LuaRuntime
import Platform
import RunnerCore
import Scripting

extension Repl {
  /// Evaluates an expression, shows its value, and says how long that takes. A short evaluation is
  /// repeated, without output, until its mean time is known well.
  func time(_ text: String) {
    guard let function = function(of: Array(text.utf8)) else { return }
    let before = workspace.jobs.latest
    let start = EventLoop.now
    guard let results = evaluate(function) else { return }
    let first = EventLoop.now - start
    if show(results, jobsSince: before) {
      return printer.note("took \((EventLoop.now - start).measured)")
    }
    guard first < TimeSample.longest, let sample = sample(function, first: first) else {
      return printer.note("took \(first.measured), once")
    }
    printer.note("took \(sample.text)" + allocation(of: function))
  }

  /// Evaluates a function until enough is known; nil if an evaluation fails or Ctrl-C is pressed.
  private func sample(_ function: LuaReference, first: Duration) -> TimeSample? {
    let silence = Silence()
    defer { silence.end() }
    var sample = TimeSample()
    var count = 1
    let start = EventLoop.now
    while !sample.isSure(after: EventLoop.now - start) {
      let begin = EventLoop.now
      let runs = workspace.host.evaluation(
        of: .reference(workspace.environment.repeated), .reference(function),
        .integer(Int64(count)))
      guard run(runs, isQuiet: true) != nil else { return nil }
      let took = EventLoop.now - begin
      // The first batches only tell how many evaluations a batch needs.
      if took < TimeSample.batch / 2 {
        count *= 2
      } else {
        sample.add(took, of: count)
      }
    }
    return sample
  }

  private func allocation(of function: LuaReference) -> String {
    let silence = Silence()
    defer { silence.end() }
    let measuring = workspace.host.evaluation(
      of: .reference(workspace.environment.allocation), .reference(function))
    guard let size = run(measuring, isQuiet: true)?.numberValue else { return "" }
    let bytes = Int((size * 1024).rounded())
    switch bytes {
    case ...0: return "; nothing allocated"
    case ..<10_000: return "; \(bytes) bytes allocated"
    default: return "; \(bytes / 1024) KiB allocated"
    }
  }
}

/// The times of batches of evaluations.
private struct TimeSample {
  /// An evaluation that takes longer is not repeated.
  static let longest = Duration.seconds(1)
  /// The length of a batch.
  static let batch = Duration.milliseconds(10)
  private static let limit = Duration.seconds(2)

  private var means: [Double] = []
  private var count = 0

  /// Adds a batch of evaluations.
  mutating func add(_ time: Duration, of evaluations: Int) {
    means.append(time / .nanoseconds(1) / Double(evaluations))
    count += evaluations
  }

  private var mean: Double { means.reduce(0, +) / Double(means.count) }

  /// The standard deviation of the batches.
  private var deviation: Double {
    let mean = mean
    let sum = means.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (sum / Double(max(1, means.count - 1))).squareRoot()
  }

  /// True if the mean is known within one percent, or much time has passed.
  func isSure(after time: Duration) -> Bool {
    if means.count < 5 { return time > Self.limit && !means.isEmpty }
    return time > Self.limit || deviation / Double(means.count).squareRoot() < mean / 100
  }

  var text: String {
    let times = [mean, deviation].map { Duration.nanoseconds(Int64($0)).measured }
    return "\(times[0]) ± \(times[1]), \(count) evaluations"
  }
}

/// Discards standard output while an expression is evaluated again.
private struct Silence {
  private let output: Int32

  init() {
    _ = Terminal.flush()
    output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard output >= 0, nothing >= 0 else { return }
    dup2(nothing, STDOUT_FILENO)
    close(nothing)
  }

  func end() {
    guard output >= 0 else { return }
    _ = Terminal.flush()
    dup2(output, STDOUT_FILENO)
    close(output)
  }
}

extension Duration {
  /// `1.24 s`, `35.1 ms`, `120 µs` or `81 ns`: three digits.
  fileprivate var measured: String {
    let nanoseconds = self / .nanoseconds(1)
    let units: [(Double, String)] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")]
    guard let (size, unit) = units.first(where: { nanoseconds >= $0.0 * 0.9995 }) else {
      return "\(Int(nanoseconds.rounded())) ns"
    }
    let value = nanoseconds / size
    if value >= 100 { return "\(Int(value.rounded())) \(unit)" }
    let digits = value >= 10 ? 10.0 : 100.0
    let whole = Int((value * digits).rounded())
    let fraction = "\(whole % Int(digits))"
    let padding = digits == 100 && fraction.count < 2 ? "0" : ""
    return "\(whole / Int(digits)).\(padding)\(fraction) \(unit)"
  }
}
