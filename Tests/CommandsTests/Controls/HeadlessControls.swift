import Commands
import Synchronization

/// A button without a screen.
final class Button: CommandControl {
  private struct State {
    var isEnabled = true
    var action: ControlAction?
  }

  private let state = Mutex(State())
  let binding: ControlBinding<Button, String>
  let journal = Journal()
  /// Runs inside the next warning.
  let whenWarned: Once

  init() {
    let whenWarned = Once()
    self.whenWarned = whenWarned
    binding = ControlBinding { [journal] in
      journal.note("\($0)")
      whenWarned.run()
    }
  }

  var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set { state.withLock { $0.isEnabled = newValue } }
  }

  var action: ControlAction? {
    get { state.withLock { $0.action } }
    set { state.withLock { $0.action = newValue } }
  }

  var sender: Button { self }

  func click() {
    if isEnabled { action?.perform() }
  }
}

/// Something to do once, set later.
final class Once: Sendable {
  private let work = Mutex<(@Sendable () -> Void)?>(nil)

  func set(_ work: @escaping @Sendable () -> Void) {
    self.work.withLock { $0 = work }
  }

  func run() {
    work.withLock { $0.take() }?()
  }
}

/// An item of a bar, which passes its tag and not itself.
final class BarButton: CommandControl {
  private struct State {
    var isEnabled = true
    var action: ControlAction?
  }

  private let state = Mutex(State())
  let binding = ControlBinding<Int, String>()
  let sender: Int

  init(tag: Int) {
    sender = tag
  }

  var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set { state.withLock { $0.isEnabled = newValue } }
  }

  var action: ControlAction? {
    get { state.withLock { $0.action } }
    set { state.withLock { $0.action = newValue } }
  }
}

/// What is pulled to refresh a list.
final class Puller: RefreshControl {
  private struct State {
    var isEnabled = true
    var action: ControlAction?
    var pulls = 0
  }

  private let state = Mutex(State())
  let binding = ControlBinding<Int, String>()
  let journal = Journal()

  var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set { state.withLock { $0.isEnabled = newValue } }
  }

  var action: ControlAction? {
    get { state.withLock { $0.action } }
    set { state.withLock { $0.action = newValue } }
  }

  /// The number of the pull.
  var sender: Int { state.withLock { $0.pulls } }

  func changeValue() {
    state.withLock { $0.pulls += 1 }
    action?.perform()
  }

  func endRefreshing() {
    journal.note("end")
  }
}
