import RunnerCore

/// The words that a subcommand takes.
extension CommandLine {
  /// Refuses words that a subcommand does not take.
  ///
  /// - Parameter count: how many it takes at most.
  func refuseWords(
    beyond count: Int, usage: @autoclosure () -> String
  ) throws(UsageError) {
    if words.count > count { throw .unexpectedArgument(words[count], usage: usage()) }
  }

  /// Returns the one word that a subcommand takes.
  ///
  /// - Parameter name: what the word is, if it is missing.
  func onlyWord(
    named name: String, usage: @autoclosure () -> String
  ) throws(UsageError) -> String {
    guard let word = words.first else { throw .missingArgument(name, usage: usage()) }
    try refuseWords(beyond: 1, usage: usage())
    return word
  }

  /// Returns the number of a batch or an execution, with or without its `#`.
  static func number(in word: String) throws(UsageError) -> Int64 {
    guard let number = Int64(word.hasPrefix("#") ? word.dropFirst() : word[...]), number > 0 else {
      throw .input("'\(word)' is not the number of a batch or an execution")
    }
    return number
  }
}
