import LuaRuntime
import Reactive
import Scripting

/// The signals that a session keeps in sight, each on a line of its own.
final class WatchList: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  private final class Watch: @unchecked Sendable {
    let number: Int
    let title: String
    var latest = "–"
    let subscription = CompoundDisposable()

    init(_ number: Int, _ title: String) {
      self.number = number
      self.title = title
    }

    var line: String { "\(number)  \(title): \(latest)" }
  }

  private var watches: [Watch] = []
  private var count = 0
  /// Called with all lines whenever one has changed.
  private let onChange: ([String]) -> Void

  init(_ onChange: @escaping ([String]) -> Void) {
    self.onChange = onChange
  }

  var lines: [String] { watches.map(\.line) }

  /// Watches a signal until it is removed.
  ///
  /// - Parameter text: what a value looks like.
  func add(
    _ signal: Signal<LuaValue>, _ title: String, text: @escaping @Sendable (LuaValue) -> String,
    failure: @escaping @Sendable (any Error) -> String
  ) {
    count += 1
    let watch = Watch(count, title)
    watches.append(watch)
    let change = { @Sendable [weak self] (latest: String) in
      watch.latest = latest
      self?.tell()
    }
    signal.observe(
      Observer(
        next: { change(text($0)) },
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
  /// - Returns: whether there was one.
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

  private func tell() { onChange(lines) }
}
