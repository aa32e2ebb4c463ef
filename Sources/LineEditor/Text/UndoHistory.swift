/// Earlier and later states of a buffer. Consecutive characters typed are one step.
struct UndoHistory {
  /// Consecutive changes of the same kind are undone together.
  enum Change { case typing, erasing, other }

  /// The maximum number of steps.
  private static let capacity = 1_000
  /// The maximum number of characters in all steps, which are whole copies; the latest step is kept
  /// whatever its length.
  private static let mostCharacters = 4_000_000

  private var past: [EditBuffer] = []
  private var pastCharacters = 0
  private var future: [EditBuffer] = []
  private var latest: Change?

  /// True if a change begins a step, so that the previous state must be kept.
  func begins(_ change: Change) -> Bool { change == .other || change != latest }

  /// Records a change.
  ///
  /// - Parameter before: the previous state, if the change begins a step.
  mutating func note(_ change: Change, before: EditBuffer?) {
    future = []
    latest = change
    guard let before else { return }
    push(before)
    while past.count > Self.capacity || (pastCharacters > Self.mostCharacters && past.count > 1) {
      pastCharacters -= past.removeFirst().characters.count
    }
  }

  private mutating func push(_ state: EditBuffer) {
    past.append(state)
    pastCharacters += state.characters.count
  }

  /// Ends a run of changes: the next one is a separate step.
  mutating func endRun() { latest = nil }

  mutating func undo(_ buffer: EditBuffer) -> EditBuffer? {
    latest = nil
    while let state = past.popLast() {
      pastCharacters -= state.characters.count
      guard state.characters != buffer.characters else { continue }
      future.append(buffer)
      return state
    }
    return nil
  }

  mutating func redo(_ buffer: EditBuffer) -> EditBuffer? {
    latest = nil
    guard let state = future.popLast() else { return nil }
    push(buffer)
    return state
  }
}
