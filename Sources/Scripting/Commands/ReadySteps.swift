import Reactive

/// Steps that are ready to be executed when a slot is free, in order within each kind.
struct ReadySteps {
  private var requested = Queue<Int>()
  private var needed = Queue<Int>()

  mutating func insert(_ step: Int, isRequested: Bool) {
    if isRequested { requested.append(step) } else { needed.append(step) }
  }

  /// Takes the next step of a kind that has a free slot. Requested steps come first, because no
  /// step that is still needed waits for them.
  mutating func next(_ isFree: (_ isRequested: Bool) -> Bool) -> Int? {
    if !requested.isEmpty, isFree(true) { return requested.popFirst() }
    return !needed.isEmpty && isFree(false) ? needed.popFirst() : nil
  }
}
