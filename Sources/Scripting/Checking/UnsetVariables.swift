import LuaRuntime

extension ScriptHost {
  /// Returns a note about each variable that the files join to a string with `..` and that is not set here:
  /// that fails where it is executed. A name that is read elsewhere too may be asked about before.
  public func notesOnUnsetVariables() -> [Failure] {
    let reads = LoadedTexts(of: self).codes.sorted { $0.key < $1.key }
      .flatMap { file, code in code.variableReads.map { (file: file, read: $0) } }
    return reads.compactMap { file, read in
      guard read.isJoined, reads.count(where: { $0.read.name == read.name }) == 1,
        environment.value(of: read.name) == nil
      else { return nil }
      var failure = Failure(
        .input,
        "the variable '\(read.name)' is not set here, and '..' needs a string: "
          + "(rac.env.\(read.name) or \"\") is one")
      failure.position = "\(file):\(read.line)"
      return failure
    }
  }
}

extension LuaCode {
  fileprivate struct VariableRead {
    let name: String
    let line: Int
    /// True if `..` follows or precedes it.
    let isJoined: Bool
  }

  /// Where the text reads `rac.env.NAME`.
  fileprivate var variableReads: [VariableRead] {
    texts.indices.compactMap { index in
      let name = index + 4
      guard name < texts.count, texts[index..<name] == ["rac", ".", "env", "."],
        tokens[name].kind == .name
      else { return nil }
      // Each dot is a token.
      let isJoined =
        texts[..<index].suffix(2) == [".", "."] || texts[(name + 1)...].prefix(2) == [".", "."]
      return VariableRead(name: texts[name], line: lines[name], isJoined: isJoined)
    }
  }
}
