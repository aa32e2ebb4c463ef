import LuaRuntime
import Platform

extension ScriptCommand {
  /// The advice to write a list of words as a line, with that line if the shell would read it as it is
  /// meant.
  ///
  /// - Parameter operator: the position of the word that is meant as an operator of the shell.
  func advice(toWriteAsLine words: [[UInt8]], operator position: Int? = nil) -> String {
    let texts = words.enumerated().map { index, word -> String? in
      index == position ? String(exactly: word) : shellWord(word)
    }
    guard description.environment.shell == nil, !texts.contains(nil) else {
      return "write a line, or a function with rac.exec"
    }
    // A list gets the words of a rest parameter at its end.
    let getsWords = description.work?.isList == false && parameters.contains(where: \.isRest)
    let shellWords = texts.compactMap(\.self) + (getsWords ? ["\"$@\""] : [])
    let line = LuaLiteral.text(shellWords.joined(separator: " "), limit: .max)
    return "write a line, \(line), or a function with rac.exec"
  }

  /// The word as a shell has to read it, with the values of the parameters that it names; nil if there
  /// is no such text for each shell.
  private func shellWord(_ word: [UInt8]) -> String? {
    guard !LazyText.isMarked(word) else { return nil }
    let references = parameters.references(in: word)
    guard !references.contains(where: \.parameter.isRest) else { return nil }
    guard let last = references.last else {
      let text = String(exactly: word)
      let isInHome = text.hasPrefix("~/")
      let rest = isInHome ? String(text.dropFirst(2)) : text
      let quoted = isInHome && rest.isEmpty ? "" : rest.quotedForShell
      return quoted.hasPrefix("$'") ? nil : (isInHome ? "~/" : "") + quoted
    }
    var text = ""
    var position = 0
    for reference in references {
      text += word[position..<reference.range.lowerBound].escapedInQuotes
      position = reference.range.upperBound
      let goesOn = position < word.count && word[position].isOfVariableName
      let name = reference.parameter.variable
      text += goesOn ? "${\(name)}" : "$\(name)"
    }
    text += word[last.range.upperBound...].escapedInQuotes
    return "\"\(text)\""
  }
}

extension ArraySlice<UInt8> {
  /// The text as it is written in the double quotes of a shell.
  fileprivate var escapedInQuotes: String {
    String(exactly: Array(self)).reduce(into: "") { text, character in
      if "\"\\`$".contains(character) { text += "\\" }
      text.append(character)
    }
  }
}
