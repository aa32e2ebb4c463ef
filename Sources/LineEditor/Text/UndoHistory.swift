/// Earlier and later states of a buffer. Characters typed one after the other are one step.
struct UndoHistory {
  /// Consecutive changes of the same kind are undone together.
  enum Change { case typing, erasing, other }

  /// The most steps that are kept.
  private static let capacity = 1_000

  private var past: [EditBuffer] = []
  private var future: [EditBuffer] = []
  private var latest: Change?

  /// Whether a change begins a step, so that the state before it is to be kept.
  func begins(_ change: Change) -> Bool { change == .other || change != latest }

  /// Notes a change.
  ///
  /// - Parameter before: the state that it left, where it begins a step.
  mutating func note(_ change: Change, before: EditBuffer?) {
    future = []
    latest = change
    guard let before else { return }
    past.append(before)
    if past.count > Self.capacity { past.removeFirst() }
  }

  /// Ends a run of changes: the next one is a step of its own.
  mutating func endRun() { latest = nil }

  mutating func undo(_ buffer: EditBuffer) -> EditBuffer? {
    latest = nil
    while let state = past.popLast() {
      guard state.characters != buffer.characters else { continue }
      future.append(buffer)
      return state
    }
    return nil
  }

  mutating func redo(_ buffer: EditBuffer) -> EditBuffer? {
    latest = nil
    guard let state = future.popLast() else { return nil }
    past.append(buffer)
    return state
  }
}
