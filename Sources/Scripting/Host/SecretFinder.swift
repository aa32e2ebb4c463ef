/// Finds some texts in bytes, in one pass over them whatever the texts are: the automaton of Aho and
/// Corasick. Its work grows with the bytes alone, also where a text is periodic and found everywhere.
struct SecretFinder: Sendable {
  /// The texts.
  let texts: [[UInt8]]

  /// A state: the longest beginning of a text with which the bytes so far end.
  private struct State {
    /// The byte that leads here.
    let byte: UInt8
    /// How long the beginning is.
    let depth: Int32
    /// The first of the states that are one byte longer, and the next one beside this; 0 for none.
    var child: Int32 = 0
    var sibling: Int32 = 0
    /// The longest other beginning with which this one ends.
    var fallback: Int32 = 0
    /// How long the longest text is with which the bytes end in this state; 0 if they end with none.
    var found: Int32 = 0
  }

  private var states = [State(byte: 0, depth: 0)]
  /// The states of one byte.
  private var starts = [Int32](repeating: 0, count: 256)

  /// - Parameter texts: none of which is empty.
  init(_ texts: [[UInt8]]) {
    self.texts = texts
    for text in texts { add(text) }
    link()
  }

  private mutating func add(_ text: [UInt8]) {
    var state: Int32 = 0
    for byte in text {
      let next = child(of: state, byte)
      if next != 0 {
        state = next
        continue
      }
      let fresh = Int32(states.count)
      states.append(State(byte: byte, depth: states[Int(state)].depth + 1))
      if state == 0 {
        starts[Int(byte)] = fresh
      } else {
        states[Int(fresh)].sibling = states[Int(state)].child
        states[Int(state)].child = fresh
      }
      state = fresh
    }
    states[Int(state)].found = Int32(text.count)
  }

  /// Sets the fallbacks, the shorter states first.
  private mutating func link() {
    var queue = starts.filter { $0 != 0 }
    var next = 0
    while next < queue.count {
      let state = queue[next]
      next += 1
      let fallback = states[Int(state)].fallback
      if states[Int(state)].found == 0 { states[Int(state)].found = states[Int(fallback)].found }
      var child = states[Int(state)].child
      while child != 0 {
        states[Int(child)].fallback = step(from: fallback, states[Int(child)].byte)
        queue.append(child)
        child = states[Int(child)].sibling
      }
    }
  }

  private func child(of state: Int32, _ byte: UInt8) -> Int32 {
    if state == 0 { return starts[Int(byte)] }
    var child = states[Int(state)].child
    while child != 0, states[Int(child)].byte != byte { child = states[Int(child)].sibling }
    return child
  }

  private func step(from state: Int32, _ byte: UInt8) -> Int32 {
    var state = state
    while true {
      let next = child(of: state, byte)
      if next != 0 || state == 0 { return next }
      state = states[Int(state)].fallback
    }
  }

  /// Adds the ranges of the texts that are in some bytes; those that overlap become one.
  ///
  /// - Parameter ranges: in order, and none overlaps another.
  /// - Returns: how many of the last bytes may be the beginning of a text.
  func find(in bytes: UnsafeRawBufferPointer, _ ranges: inout [Range<Int>]) -> Int {
    var state: Int32 = 0
    for index in 0..<bytes.count {
      state = state == 0 ? starts[Int(bytes[index])] : step(from: state, bytes[index])
      guard state != 0 else { continue }
      let length = Int(states[Int(state)].found)
      if length > 0 { ranges.join(index + 1 - length..<index + 1) }
    }
    return Int(states[Int(state)].depth)
  }
}

extension [Range<Int>] {
  /// Adds a range that ends behind all others, as one with those that it overlaps.
  fileprivate mutating func join(_ range: Range<Int>) {
    var joined = range
    while let last, last.upperBound > joined.lowerBound {
      joined = Swift.min(last.lowerBound, joined.lowerBound)..<joined.upperBound
      removeLast()
    }
    append(joined)
  }

  /// The ranges as few that do not overlap, in order.
  var joined: [Range<Int>] {
    var result: [Range<Int>] = []
    for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound < last.upperBound {
        result[result.count - 1] =
          last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}
