/// The match of a typed pattern in a text: its characters occur in the text in their order, whatever
/// their case.
struct FuzzyMatch {
  /// The quality: adjacent characters and beginnings of words count more, long texts less.
  let score: Int
  /// The positions of the matching characters.
  let positions: [Int]

  /// - Returns: nil if the pattern does not match.
  init?(_ pattern: String, in text: String) {
    let pattern = Array(pattern.lowercased().filter { $0 != " " })
    let characters = Array(text)
    let lower = characters.map { $0.lowercased() }
    var best: (score: Int, positions: [Int])?
    // The best match may begin at any occurrence of the first character.
    let starts = pattern.isEmpty ? [0] : lower.indices.filter { lower[$0] == String(pattern[0]) }
    for start in starts {
      guard let found = Self.match(pattern, characters, lower, from: start) else { continue }
      if best.map({ found.score > $0.score }) ?? true { best = found }
    }
    guard let best else { return nil }
    (score, positions) = best
  }

  private static func match(
    _ pattern: [Character], _ characters: [Character], _ lower: [String], from start: Int
  ) -> (score: Int, positions: [Int])? {
    var positions: [Int] = []
    var score = -characters.count
    var index = start
    for character in pattern {
      while index < lower.count, lower[index] != String(character) { index += 1 }
      guard index < lower.count else { return nil }
      if let last = positions.last, last + 1 == index { score += 15 }
      if index == 0 || !(characters[index - 1].isLetter || characters[index - 1].isNumber) {
        score += 10
      }
      positions.append(index)
      index += 1
    }
    return (score, positions)
  }
}
