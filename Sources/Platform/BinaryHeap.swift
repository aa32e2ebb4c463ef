/// Elements of which the one with the lowest key is found in constant time, and added or removed in
/// logarithmic time. Elements with the same key have no order.
@usableFromInline
package struct BinaryHeap<Element> {
  @usableFromInline var entries: [(key: Int, element: Element)] = []

  @inlinable
  package init() {}

  /// The entry with the lowest key.
  @inlinable
  package var first: (key: Int, element: Element)? { entries.first }

  @inlinable
  package mutating func insert(_ element: Element, _ key: Int) {
    entries.append((key, element))
    var place = entries.count - 1
    while place > 0, case let parent = (place - 1) / 2, entries[parent].key > key {
      entries.swapAt(place, parent)
      place = parent
    }
  }

  /// Removes the entry with the lowest key; there must be one.
  @inlinable
  package mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var place = 0
    while true {
      var lowest = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < entries.count && entries[child].key < entries[lowest].key {
        lowest = child
      }
      if lowest == place { return }
      entries.swapAt(place, lowest)
      place = lowest
    }
  }
}
