/// Finds several texts in bytes in a single pass, whatever the texts are, with the Aho-Corasick
/// automaton. Its work is proportional to the bytes alone, even if a text is periodic and found
/// everywhere.
struct SecretFinder: Sendable {
  /// The texts.
  let texts: [[UInt8]]

  /// A state: the longest prefix of a text with which the bytes so far end.
  private struct State {
    /// The byte that leads to this state.
    let byte: UInt8
    /// The length of the prefix.
    let depth: Int32
    /// The first state that is one byte longer, and the next sibling of this one; 0 for none.
    var child: Int32 = 0
    var sibling: Int32 = 0
    /// The longest other prefix with which this one ends.
    var fallback: Int32 = 0
    /// The length of the longest text with which the bytes end in this state; 0 for none.
    var found: Int32 = 0
  }

  private var states = [State(byte: 0, depth: 0)]
  /// The states of one byte.
  private var starts = [Int32](repeating: 0, count: 256)

  /// - Parameter texts: the texts, none of them empty.
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

  /// Sets the fallbacks, shorter states first.
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

  /// Adds the ranges of the texts found in some bytes; overlapping ranges are merged.
  ///
  /// - Parameter ranges: sorted ranges that do not overlap.
  /// - Returns: the number of bytes at the end that may be the beginning of a text.
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
  /// Adds a range that ends after all others, merged with those that it overlaps.
  fileprivate mutating func join(_ range: Range<Int>) {
    var joined = range
    while let last, last.upperBound > joined.lowerBound {
      joined = Swift.min(last.lowerBound, joined.lowerBound)..<joined.upperBound
      removeLast()
    }
    append(joined)
  }

  /// The ranges merged so that none overlap, in order.
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
