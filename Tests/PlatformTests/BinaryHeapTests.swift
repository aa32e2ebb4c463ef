import Platform
import Testing

@Suite struct BinaryHeapTests {
  @Test func keysComeInOrderWhateverTheOrderOfInsertions() {
    var random = SystemRandomNumberGenerator()
    for count in [0, 1, 2, 3, 10, 1_000] {
      var heap = BinaryHeap<Int>()
      var expected: [Int] = []
      var found: [Int] = []
      for _ in 0..<count {
        let key = Int.random(in: -50...50, using: &random)
        heap.insert(-key, key)
        expected.append(key)
        // Removals between the insertions, as of a scheduler.
        if Int.random(in: 0..<4, using: &random) == 0, let first = heap.first {
          let lowest = expected.min()
          #expect(first.key == lowest && first.element == -first.key)
          expected.remove(at: expected.firstIndex(of: first.key) ?? 0)
          heap.removeFirst()
        }
      }
      while let first = heap.first {
        found.append(first.key)
        heap.removeFirst()
      }
      #expect(found == expected.sorted())
    }
  }
}
