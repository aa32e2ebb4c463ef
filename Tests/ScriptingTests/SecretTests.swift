import Testing

@testable import Scripting

/// What finds secrets, apart from the secrets of this process.
@Suite struct SecretTests {
  private func ranges(_ texts: [String], in text: String) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    _ = find(texts, in: text, &ranges)
    return ranges
  }

  private func find(_ texts: [String], in text: String, _ ranges: inout [Range<Int>]) -> Int {
    Array(text.utf8).withUnsafeBytes { bytes in
      SecretFinder(texts.map { Array($0.utf8) }).find(in: bytes, &ranges)
    }
  }

  @Test func eachPlaceIsFound() {
    #expect(ranges(["he", "she", "hers"], in: "ushers, he") == [1..<6, 8..<10])
    #expect(ranges(["x"], in: "xx") == [0..<1, 1..<2])
    #expect(ranges(["abc"], in: "ab") == [])
  }

  @Test func ofSecretsThatOverlapNothingIsLeft() {
    #expect(ranges(["abc", "bcdef"], in: "abcdef") == [0..<6])
    #expect(ranges(["aa"], in: "aaaaa") == [0..<5])
    #expect(ranges(["b", "abc"], in: "abc b") == [0..<3, 4..<5])
  }

  @Test func theBeginningOfASecretAtTheEndIsKnown() {
    var ranges: [Range<Int>] = []
    #expect(find(["hunter2", "terse"], in: "a hunter", &ranges) == 6)
    #expect(find(["hunter2", "terse"], in: "a hunters", &ranges) == 4)
    #expect(find(["hunter2", "terse"], in: "a hunter3", &ranges) == 0)
    #expect(find(["hunter2", "terse"], in: "enter", &ranges) == 3)
    #expect(ranges == [])
  }

  /// Against the definition, for texts that overlap in every way.
  @Test func whatIsFoundIsWhatIsThere() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let texts = (0..<4).map { _ in
        String((0..<Int.random(in: 1...4, using: &random)).map { _ in "ab".randomElement() ?? "a" })
      }
      let text = Array(
        (0..<30).map { _ in UInt8(ascii: ["a", "b", "c"].randomElement(using: &random) ?? "a") })
      var isSecret = [Bool](repeating: false, count: text.count)
      for secret in texts.map({ Array($0.utf8) }) {
        for start in 0...(text.count - secret.count)
        where Array(text[start..<(start + secret.count)]) == secret {
          for index in start..<(start + secret.count) { isSecret[index] = true }
        }
      }
      let found = ranges(texts, in: String(decoding: text, as: UTF8.self))
      #expect(
        text.indices.allSatisfy { index in
          isSecret[index] == found.contains { $0.contains(index) }
        }, "\(texts) in \(text)")
    }
  }

  @Test func ofAVariableTheLatestValuesAreKnown() {
    var values = SecretValues()
    values.add(Array("parameter".utf8), of: nil)
    for number in 0..<(5 * SecretValues.mostPerVariable) {
      values.add(Array("value \(number)!".utf8), of: "TOKEN")
    }
    let known = values.finders.flatMap(\.texts).map { String(decoding: $0, as: UTF8.self) }
    #expect(known.count <= 2 * SecretValues.mostPerVariable + 1)
    #expect(known.contains("parameter"))
    let last = (4 * SecretValues.mostPerVariable)..<(5 * SecretValues.mostPerVariable)
    #expect(Set(last.map { "value \($0)!" }).isSubset(of: known))
    #expect(!known.contains("value 0!"))
  }
}
