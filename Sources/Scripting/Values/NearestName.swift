/// Returns the candidate that was probably meant: the one at the smallest edit distance, if that is
/// small relative to the length of the name. One letter is near to every other one, and two letters are
/// only to those with the same first one, or with the same letters.
public func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
  let limit = max(1, name.count / 3)
  let lowercased = name.lowercased()
  let letters = Set(lowercased)
  func isNear(_ candidate: String, at distance: Int) -> Bool {
    if name.count > 1, candidate.hasPrefix(name) { return true }
    if candidate.lowercased() == lowercased { return true }
    guard distance <= limit, name.count > 1 else { return false }
    return name.count > 2 || candidate.first == name.first
      || letters.isSubset(of: candidate.lowercased())
  }
  var nearest: (name: String, distance: Int)?
  for candidate in candidates {
    let distance = editDistance(name, candidate)
    guard distance < nearest?.distance ?? .max, isNear(candidate, at: distance) else { continue }
    nearest = (candidate, distance)
  }
  return nearest?.name
}

/// The end of a message about an unknown name.
///
/// - Parameters:
///   - nearest: the name that was probably meant.
///   - otherwise: the end of the message if there is none.
public func didYouMean(_ nearest: String?, otherwise: String? = nil) -> String {
  let hint = nearest.map { "did you mean '\($0)'?" } ?? otherwise
  return hint.map { "; \($0)" } ?? ""
}

/// The end of a message about an unknown name.
///
/// - Parameter otherwise: the end of the message if no known name is similar.
public func didYouMean(
  _ name: String, among known: some Sequence<String>, otherwise: String? = nil
) -> String {
  didYouMean(nearestName(to: name, among: known), otherwise: otherwise)
}

/// Returns the number of insertions, deletions, substitutions and swaps of neighbours between two
/// names.
func editDistance(_ from: String, _ to: String) -> Int {
  let from = Array(from)
  let to = Array(to)
  var beforeLast = [Int](repeating: 0, count: to.count + 1)
  var last = Array(0...to.count)
  for i in from.indices {
    var row = [i + 1]
    for j in to.indices {
      let substituted = last[j] + (from[i] == to[j] ? 0 : 1)
      var best = min(substituted, last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, from[i] == to[j - 1], from[i - 1] == to[j] {
        best = min(best, beforeLast[j - 1] + 1)
      }
      row.append(best)
    }
    (beforeLast, last) = (last, row)
  }
  return last[to.count]
}
