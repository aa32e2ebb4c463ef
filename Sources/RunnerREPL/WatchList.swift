import LineEditor
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// A watched signal's name, its latest value, and how many came.
struct WatchLine: Equatable {
  let title: String
  let latest: String
  /// The number and rate of its values and the curve of the numbers, once there are a few.
  var extent: String?

  var text: String { "\(title): \(latest)" }

  /// The text for one row; a long name is truncated for the value, but keeps a third of the row. The
  /// extent stands at the right if there is room.
  func text(fitting width: Int) -> String {
    let room = max(width - columns(of: ": \(latest)"), width / 3)
    let row = fitted("\(fitted(title, to: room)): \(latest)", to: width)
    let rest = width - columns(of: row)
    guard let extent, rest >= columns(of: extent) + 2 else { return row }
    return row + String(repeating: " ", count: rest - columns(of: extent)) + extent
  }
}

/// The signals that a session watches, one per line.
final class WatchList: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private final class Watch: @unchecked Sendable {
    // Unchecked: confined to the main thread, where the loop runs.

    let number: Int
    let title: String
    /// The requested expression; several signals may share one.
    let expression: String
    var latest = "–"
    var meter = SignalMeter()
    let subscription = CompoundDisposable()

    init(_ number: Int, _ title: String, of expression: String) {
      self.number = number
      self.title = title
      self.expression = expression
    }

    var line: WatchLine {
      WatchLine(
        title: "\(number)  \(title)", latest: latest, extent: meter.count > 2 ? meter.text() : nil)
    }
  }

  private var watches: [Watch] = []
  private var count = 0
  /// Called with all lines whenever one has changed.
  private let onChange: ([WatchLine]) -> Void

  init(showing editor: any ReplInput) {
    onChange = { [weak editor] in editor?.status = $0 }
  }

  /// The watched expressions, in order.
  var expressions: [String] {
    watches.reduce(into: []) { if $0.last != $1.expression { $0.append($1.expression) } }
  }

  /// Watches a signal until it is removed.
  ///
  /// - Parameter text: formats a value.
  func add(
    _ signal: Signal<LuaValue>, _ title: String, of expression: String,
    text: @escaping @Sendable (LuaValue) -> String,
    failure: @escaping @Sendable (any Error) -> String
  ) {
    count += 1
    let watch = Watch(count, title, of: expression)
    watches.append(watch)
    let change = { @Sendable [weak self] (latest: String) in
      watch.latest = latest
      self?.tell()
    }
    signal.observe(
      Observer(
        next: {
          watch.meter.add($0)
          change(text($0))
        },
        end: { termination in
          watch.subscription.dispose()
          switch termination {
          case .completed: change(watch.latest + " (completed)")
          case .error(let error): change("error: \(failure(error))")
          }
        }), in: watch.subscription)
    tell()
  }

  /// Ends a watch by its number.
  ///
  /// - Returns: true if it existed.
  func remove(_ number: Int) -> Bool {
    guard let index = watches.firstIndex(where: { $0.number == number }) else { return false }
    watches.remove(at: index).subscription.dispose()
    tell()
    return true
  }

  func removeAll() {
    let ended = watches
    watches = []
    for watch in ended { watch.subscription.dispose() }
    tell()
  }

  private func tell() { onChange(watches.map(\.line)) }
}
