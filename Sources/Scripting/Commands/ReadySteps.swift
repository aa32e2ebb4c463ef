/// Steps that are ready to be executed when a slot is free, in order within each kind.
struct ReadySteps {
  private var requested = Queue()
  private var needed = Queue()

  mutating func insert(_ step: Int, isRequested: Bool) {
    if isRequested { requested.steps.append(step) } else { needed.steps.append(step) }
  }

  /// Takes the next step of a kind that has a free slot. Requested steps come first, because no
  /// step that is still needed waits for them.
  mutating func next(_ isFree: (_ isRequested: Bool) -> Bool) -> Int? {
    if !requested.isEmpty, isFree(true) { return requested.removeFirst() }
    return !needed.isEmpty && isFree(false) ? needed.removeFirst() : nil
  }

  private struct Queue {
    var steps: [Int] = []
    private var start = 0

    var isEmpty: Bool { start == steps.count }

    mutating func removeFirst() -> Int {
      defer { start += 1 }
      return steps[start]
    }
  }
}
