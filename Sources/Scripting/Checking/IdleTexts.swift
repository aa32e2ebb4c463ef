import LuaRuntime

extension LoadedTexts {
  /// True if a script that has executed no command, started no process and printed nothing has certainly
  /// done nothing at all: its texts read no arguments, and call nothing else that has an effect. Functions
  /// that definitions write out are not called.
  package var areIdle: Bool { !isPart && !codes.isEmpty && codes.values.allSatisfy(\.isIdle) }
}

extension LuaCode {
  fileprivate var isIdle: Bool {
    let definitions = Set(lines).flatMap { tables(givenTo: "command", inLine: $0) }
    let uncalled = definitions.compactMap { LuaWrittenTable(at: $0, in: self) }
      .flatMap(functions(in:)).flatMap(\.self)
    return Set(texts.indices).subtracting(uncalled).allSatisfy { !mayAct(at: $0) }
  }

  /// The functions that the fields of a table are.
  private func functions(in table: LuaWrittenTable) -> [Range<Int>] {
    table.fields.flatMap { field -> [Range<Int>] in
      let (first, last) = (field.value.lowerBound, field.value.upperBound - 1)
      if texts[first] == "function", texts[last] == "end" { return [field.value] }
      guard let inner = LuaWrittenTable(at: first, in: self), inner.end == last else { return [] }
      return functions(in: inner)
    }
  }

  /// True if a name may lead to an effect that nobody sees, or to the arguments of the script.
  private func mayAct(at index: Int) -> Bool {
    let isMember = index + 2 < texts.count && texts[index + 1] == "."
    let member = isMember ? texts[index + 2] : nil
    let before = index > 1 ? texts[index - 2..<index] : []
    switch texts[index] {
    case "args", "arg", "...", "debug", "io", "package": return true
    case "os": return !["clock", "date", "getenv", "time"].contains(member)
    case "require":
      let isLibrary = texts[index...].dropFirst().prefix(2).contains {
        $0.dropFirst().dropLast() == "rac"
      }
      return isLibrary && !before.elementsEqual(["rac", "="])
    case "rac":
      // What starts something is seen, and the others only define something.
      let harmless: Set = [
        "arch", "command", "commands", "defaults", "empty", "env", "exec", "include", "just",
        "lazy",
        "never", "os", "processors", "sh", "which",
      ]
      return member.map { !harmless.contains($0) } ?? (before.last != "local")
    default: return false
    }
  }
}
