/// A first-in, first-out queue with amortised constant time at both ends; it holds no memory for
/// removed elements.
@usableFromInline
package struct Queue<Element> {
  @usableFromInline var incoming: [Element] = []
  @usableFromInline var outgoing: [Element] = []

  @inlinable
  package init() {}

  @inlinable
  package var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

  @inlinable
  package var count: Int { incoming.count + outgoing.count }

  /// The element that `popFirst` takes next.
  @inlinable
  package var first: Element? { outgoing.last ?? incoming.first }

  /// The element that was appended last.
  @inlinable
  package var last: Element? { incoming.last ?? outgoing.first }

  /// All elements, the first one first.
  package var elements: [Element] { outgoing.reversed() + incoming }

  @inlinable
  package mutating func append(_ element: Element) {
    incoming.append(element)
  }

  /// Adds an element before all others.
  package mutating func prepend(_ element: Element) {
    outgoing.append(element)
  }

  @inlinable
  package mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      if incoming.count <= 1 { return incoming.popLast() }
      outgoing = incoming.reversed()
      incoming = []
    }
    return outgoing.popLast()
  }
}

extension Queue: Sendable where Element: Sendable {}
