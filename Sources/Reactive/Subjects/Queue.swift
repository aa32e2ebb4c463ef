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

  @inlinable
  package mutating func append(_ element: Element) {
    incoming.append(element)
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
