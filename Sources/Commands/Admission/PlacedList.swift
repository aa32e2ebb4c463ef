/// An element of a `PlacedList`, which knows its place there.
protocol Placed: Sendable {
  var place: Int { get nonmutating set }
}

/// Elements in order, each of which knows its place, so that any of them can be removed in constant
/// time. A removed element leaves a hole; the list is compacted once more than half of it is holes.
struct PlacedList<Element: Placed>: Sendable {
  /// The elements in order, and holes.
  private(set) var places: ContiguousArray<Element?> = []
  /// The index where the first element is or will be.
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  var first: Element? { first { _ in true } }
  var last: Element? { last { _ in true } }

  /// The elements in order.
  var all: [Element] { places[head...].compactMap { $0 } }

  mutating func append(_ element: Element) {
    element.place = places.count
    places.append(element)
    count += 1
  }

  /// Removes the element at a place; the result may be the last reference to it.
  ///
  /// - Returns: nil if there is none.
  mutating func remove(at place: Int) -> Element? {
    guard places.indices.contains(place), let element = places[place].take() else { return nil }
    count -= 1
    compactIfSparse()
    return element
  }

  mutating func popFirst() -> Element? {
    first.flatMap { remove(at: $0.place) }
  }

  func first(where condition: (Element) -> Bool) -> Element? {
    for element in places[head...] {
      if let element, condition(element) { return element }
    }
    return nil
  }

  func last(where condition: (Element) -> Bool) -> Element? {
    for element in places[head...].reversed() {
      if let element, condition(element) { return element }
    }
    return nil
  }

  private mutating func compactIfSparse() {
    if count == 0 {
      // A long list is freed; the single place of a serial command is kept.
      if places.count == 1 { places.removeLast() } else { places = [] }
      head = 0
      return
    }
    while places[head] == nil { head += 1 }
    guard count * 2 < places.count else { return }
    places.removeAll { $0 == nil }
    head = 0
    for (place, element) in places.enumerated() { element?.place = place }
  }
}

extension AnyExecution: Placed {
  var place: Int {
    get { withEntry { $0.place } }
    nonmutating set { withEntry { $0.place = newValue } }
  }
}
