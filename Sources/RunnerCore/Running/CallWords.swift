/// The words of a command line as calls: `:::` separates sequences, which run side by side, and `::`
/// the calls of one, which run one after the other. Behind a command that takes no arguments, a word
/// that names a command begins the next call, too.
package struct CallWords {
  /// Separates calls that run one after the other.
  package static let inOrder = "::"
  /// Separates sequences that run side by side, and binds less.
  package static let sideBySide = ":::"

  /// The sequences of calls, each of the words of a call.
  package private(set) var sequences: [[ArraySlice<String>]]

  /// - Parameter takesArguments: returns whether the command that a word names takes arguments; nil
  ///   for a word that names none.
  package init(_ words: [String], takesArguments: (String) -> Bool?) {
    sequences = words.split(separator: Self.sideBySide, omittingEmptySubsequences: false).map {
      $0.split(separator: Self.inOrder, omittingEmptySubsequences: false).flatMap { words in
        Self.calls(in: words, takesArguments)
      }
    }
  }

  /// The calls in the order of their words.
  package var calls: [ArraySlice<String>] { sequences.flatMap { $0 } }

  /// True if each call names a command.
  package var isComplete: Bool { calls.allSatisfy { !$0.isEmpty } }

  private static func calls(
    in words: ArraySlice<String>, _ takesArguments: (String) -> Bool?
  ) -> [ArraySlice<String>] {
    var calls: [ArraySlice<String>] = []
    var rest = words
    while let name = rest.first, takesArguments(name) == false,
      let next = rest.dropFirst().first, takesArguments(next) != nil
    {
      calls.append(rest.prefix(1))
      rest = rest.dropFirst()
    }
    return calls + [rest]
  }
}
