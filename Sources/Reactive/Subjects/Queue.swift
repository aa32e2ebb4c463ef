/// A first-in, first-out queue with amortised constant time at both ends and no memory held for what
/// has left.
package struct Queue<Element> {
  private var incoming: [Element] = []
  private var outgoing: [Element] = []

  package init() {}

  package var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

  package var count: Int { incoming.count + outgoing.count }

  package mutating func append(_ element: Element) {
    incoming.append(element)
  }

  package mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      if incoming.count <= 1 { return incoming.popLast() }
      outgoing = incoming.reversed()
      incoming = []
    }
    return outgoing.popLast()
  }
}
