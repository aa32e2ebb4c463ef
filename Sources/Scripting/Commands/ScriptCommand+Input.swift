import LuaRuntime

extension ScriptCommand {
  /// The input that the words after the command's name mean: a table of its parameters, or of what
  /// was given if it declares none, or what `--input` says as JSON.
  ///
  /// - Throws: `InputError`.
  public func input(from words: [String]) throws(InputError) -> LuaValue {
    let arguments = try Arguments(words, for: parameters)
    if let json = arguments.json { return try decode(json) }
    return host.value { stack in
      stack.newTable(fields: arguments.named.count)
      for (index, value) in arguments.positionals.enumerated() {
        stack.push(value)
        stack.rawSet(index + 1, at: -2)
      }
      for (name, value) in arguments.named { stack.set(name, value, at: -1) }
    }
  }

  private func decode(_ json: String) throws(InputError) -> LuaValue {
    let value = try host.interpreter.withStack { (stack: LuaStack) throws(InputError) -> LuaValue in
      try stack.push(json: json)
      return stack.value(at: -1)
    }
    return value ?? .nil
  }

  /// The command with its parameters, as a usage line shows it: `build [target]`.
  public var signature: String {
    ([name] + parameters.map { $0.isRequired ? "<\($0.name)>" : "[\($0.name)]" })
      .joined(separator: " ")
  }
}
