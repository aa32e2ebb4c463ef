import Reactive
import Synchronization

/// A control that shows a refresh in progress until `endRefreshing` is called. RAC:
/// `UIRefreshControl(RACCommandSupport)`.
///
/// Its action, performed when its value changes, executes the command. Errors are ignored here;
/// they are on the command's `errors`. After an execution has ended, `endRefreshing` is called on
/// the command's scheduler: once for each, and never before the executions requested earlier have
/// ended. This holds also for executions in progress when the control gets another command.
public protocol RefreshControl: CommandControl {
  /// Ends the display of one refresh.
  func endRefreshing()
}

extension RefreshControl {
  /// Executes the command and ends the refresh with the execution.
  public func execute(_ command: Command<Sender, Output>) {
    let place = binding.refreshes.begin()
    let execution = command.execute(sender)
    let scheduler = command.scheduler
    let end: @Sendable () -> Void = { [weak self, refreshes = binding.refreshes] in
      for _ in 0..<refreshes.end(place) {
        scheduler.schedule { [weak self] in self?.endRefreshing() }
      }
    }
    execution.subscribe(error: { _ in end() }, completed: end)
  }
}

/// The refreshes in progress, in the order of their requests.
final class Refreshes: Sendable {
  private struct State {
    /// True for each refresh, from `first` on, that has ended.
    var ended: [Bool] = []
    var first = 0
  }

  private let state = Mutex(State())

  /// The place of a new refresh.
  func begin() -> Int {
    state.withLock { state in
      state.ended.append(false)
      return state.first + state.ended.count - 1
    }
  }

  /// Notes the end of a refresh. Returns the number of refreshes that end now, including later ones
  /// that only waited for this one.
  func end(_ place: Int) -> Int {
    state.withLock { state in
      state.ended[place - state.first] = true
      let count = state.ended.prefix { $0 }.count
      state.ended.removeFirst(count)
      state.first += count
      return count
    }
  }
}
