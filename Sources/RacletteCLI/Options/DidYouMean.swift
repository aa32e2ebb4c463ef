import Scripting

/// What a message about an unknown name ends with, if a known one is near.
func didYouMean(_ nearest: String?) -> String {
  nearest.map { "; did you mean '\($0)'?" } ?? ""
}

/// What a message about an unknown name ends with, if one of those known is near.
func didYouMean(_ name: String, among known: some Sequence<String>) -> String {
  didYouMean(nearestName(to: name, among: known))
}
