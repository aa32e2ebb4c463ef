import LuaRuntime

extension ScriptCommand {
  /// The input that the words after the command's name mean: a table of its parameters, or of what
  /// was given if it declares none, or what `--input` says as JSON.
  ///
  /// - Throws: `InputError`.
  public func input(from words: [String]) throws(InputError) -> LuaValue {
    var arguments = try Arguments(words, for: parameters)
    if let json = arguments.json {
      let input = try host.value(json: json)
      guard !parameters.isEmpty else { return input }
      guard let fields = host.fields(of: input) else {
        throw .noObject
      }
      try arguments.complete(with: fields)
    }
    return table(of: arguments)
  }

  private func table(of arguments: Arguments) -> LuaValue {
    host.value { stack in
      stack.newTable(fields: arguments.named.count)
      for (index, value) in arguments.positionals.enumerated() {
        stack.push(value)
        stack.rawSet(index + 1, at: -2)
      }
      for (name, value) in arguments.named { stack.set(name, value, at: -1) }
    }
  }

  /// An input that a script or a plan gives: checked against the parameters and completed by their
  /// defaults, or as it is if there are none.
  ///
  /// - Throws: `InputError`.
  public func checked(_ input: LuaValue) throws(InputError) -> LuaValue {
    guard !parameters.isEmpty else { return input }
    guard let given = input.isNil ? [] : host.fields(of: input) else { throw .noObject }
    if let word = firstElement(of: input) {
      throw .surplus(host.describe(word), known: parameters.map(\.name))
    }
    var arguments = try Arguments([], for: parameters, isComplete: false)
    try arguments.complete(with: given)
    return table(of: arguments)
  }

  private func firstElement(of input: LuaValue) -> LuaValue? {
    guard input.type == .table else { return nil }
    return host.interpreter.withStack { stack in
      stack.push(input)
      return TableFields(stack, at: -1).elements(count: 1).first { !$0.isNil }
    } ?? nil
  }

  /// The command with its parameters, as a usage line shows it: `build [target]`.
  public var signature: String {
    ([name] + parameters.map { $0.isRequired ? "<\($0.name)>" : "[\($0.name)]" })
      .joined(separator: " ")
  }
}

extension ScriptHost {
  /// The fields of a table; nil for anything else.
  public func fields(of value: LuaValue) -> [(name: String, value: LuaValue)]? {
    guard value.type == .table else { return nil }
    return interpreter.withStack { stack in
      stack.push(value)
      let fields = TableFields(stack, at: -1)
      return fields.names.sorted().map { ($0, fields[$0]) }
    }
  }
}
