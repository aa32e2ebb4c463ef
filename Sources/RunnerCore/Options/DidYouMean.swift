import Scripting

/// The end of a message about an unknown name, if a known one is similar.
package func didYouMean(_ nearest: String?) -> String {
  nearest.map { "; did you mean '\($0)'?" } ?? ""
}

/// The end of a message about an unknown name, if one of the known ones is similar.
package func didYouMean(_ name: String, among known: some Sequence<String>) -> String {
  didYouMean(nearestName(to: name, among: known))
}
