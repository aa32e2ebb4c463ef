import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// The signals that a session watches, in a pane each, and the lines that its jobs have begun.
final class WatchList: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private final class Watch: @unchecked Sendable {
    // Unchecked: confined to the main thread, where the loop runs.

    let number: Int
    let title: String
    /// The requested expression; several signals may share one.
    let expression: String
    var content = WatchContent()
    var meter = SignalMeter()
    let subscription = CompoundDisposable()

    init(_ number: Int, _ title: String, of expression: String) {
      self.number = number
      self.title = title
      self.expression = expression
    }

    var pane: WatchPane {
      WatchPane(
        title: "\(number)  \(title)", rows: content.rows, latest: content.latest,
        hasLines: content.hasLines, end: content.end, extent: meter.count > 2 ? meter.text() : nil)
    }
  }

  private var watches: [Watch] = []
  private var count = 0
  /// The lines that jobs in the background have begun, by the numbers of the jobs.
  private var begun: [Int: WatchPane] = [:]
  private let showsBegun: Bool
  /// Called with all panes whenever one has changed.
  private let onChange: ([WatchPane]) -> Void

  init(showing editor: any ReplInput) {
    showsBegun = editor.hasCursor
    onChange = { [weak editor] in editor?.status = $0 }
  }

  /// Shows the line that a job has begun, or none.
  func show(_ line: String?, ofJob number: Int, _ title: String) {
    let pane = line.map { WatchPane(title: title, rows: [$0], latest: $0) }
    guard showsBegun, begun[number] != pane else { return }
    begun[number] = pane
    tell()
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
    text: @escaping @Sendable (LuaValue) -> WatchContent.Text,
    failure: @escaping @Sendable (any Error) -> String
  ) {
    count += 1
    let watch = Watch(count, title, of: expression)
    watches.append(watch)
    signal.observe(
      Observer(
        next: { [weak self] value in
          watch.meter.add(value)
          watch.content.show(text(value))
          self?.tell()
        },
        end: { [weak self] termination in
          watch.subscription.dispose()
          switch termination {
          case .completed: watch.content.complete()
          case .error(let error): watch.content.fail(failure(error))
          }
          self?.tell()
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

  private func tell() {
    let lines = begun.sorted { $0.key < $1.key }.map(\.value)
    onChange(watches.map(\.pane) + lines)
  }
}
