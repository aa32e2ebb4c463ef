/// An ordered list of executions, each of which knows its place, so that any of them can be removed
/// in constant time. A removed execution leaves a hole; the list is compacted once more than half
/// of it is holes.
struct ExecutionList {
  private var slots: ContiguousArray<AnyExecution?> = []
  /// The index where the first execution is or will be.
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  var first: AnyExecution? { first { _ in true } }
  var last: AnyExecution? { last { _ in true } }

  /// The executions in order.
  var all: [AnyExecution] { slots[head...].compactMap { $0 } }

  mutating func append(_ execution: AnyExecution) {
    execution.entry.place = slots.count
    slots.append(execution)
    count += 1
  }

  /// Removes an execution; the result may be the last reference to it.
  mutating func remove(_ entry: ExecutionEntry) -> AnyExecution? {
    let execution = slots[entry.place].take()
    count -= 1
    compactIfSparse()
    return execution
  }

  mutating func popFirst() -> AnyExecution? {
    first.flatMap { remove($0.entry) }
  }

  func first(where condition: (ExecutionEntry) -> Bool) -> AnyExecution? {
    for slot in slots[head...] {
      if let slot, condition(slot.entry) { return slot }
    }
    return nil
  }

  func last(where condition: (ExecutionEntry) -> Bool) -> AnyExecution? {
    for slot in slots[head...].reversed() {
      if let slot, condition(slot.entry) { return slot }
    }
    return nil
  }

  private mutating func compactIfSparse() {
    if count == 0 {
      // A long list is freed; the single place of a serial command is kept.
      if slots.count == 1 { slots.removeLast() } else { slots = [] }
      head = 0
      return
    }
    while slots[head] == nil { head += 1 }
    guard count * 2 < slots.count else { return }
    slots.removeAll { $0 == nil }
    head = 0
    for (place, execution) in slots.enumerated() { execution?.entry.place = place }
  }
}
