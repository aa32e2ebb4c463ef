import LuaRuntime
import Platform

extension ScriptCommand {
  /// The input that the words after the command's name mean: a table of its parameters, or of what
  /// was given if it declares none, or what `--input` says as JSON.
  ///
  /// - Throws: `InputError`.
  public func input(from words: [String]) throws(InputError) -> LuaValue {
    var arguments = try Arguments(words, for: description.parameters)
    if let json = arguments.json {
      let input = try host.value(json: json)
      guard description.parameters != nil else { return input }
      // A list is a table too, with its length in `n`.
      let isObject = json.first { !$0.isWhitespace } == "{"
      guard isObject, let fields = host.fields(of: input) else { throw .noObject }
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
  /// defaults, or as it is if none are declared.
  ///
  /// - Throws: `InputError`.
  public func checked(_ input: LuaValue) throws(InputError) -> LuaValue {
    guard let parameters = description.parameters else { return input }
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

  /// Sees to it that what surrounds its processes is there.
  ///
  /// - Throws: `Failure` of kind `input` for a file of variables that cannot be read.
  public func checkSurroundings() throws(Failure) { try description.environment.check() }

  /// Whether a parameter's value must not be shown.
  public func isSecret(_ parameter: Parameter) -> Bool {
    description.environment.secrets.contains(parameter.name)
  }

  /// The files that it takes variables from.
  public var variableFiles: [String] { description.environment.variableFiles }

  /// Whether it names variables or parameters whose values must not be shown.
  public var hasSecrets: Bool { !description.environment.secrets.isEmpty }

  /// Sees to it that no secret of an input is shown from now on.
  public func hideSecrets(of input: LuaValue) {
    Secrets.add(description.environment, input: input, host)
  }

  /// Sees to it that what is wrong with an input can be told without a secret.
  public func hideSecrets(of problem: InputError) {
    let secrets = parameters.filter(isSecret)
    switch problem {
    case .wrongKind(let name, let given, _), .notAChoice(let name, let given, _):
      if secrets.contains(where: { $0.name == name }) { Secrets.add(given.exactBytes) }
    case .surplus(let word, _):
      // It may be one as well as any other.
      if !secrets.isEmpty { Secrets.add(word.exactBytes) }
    default: break
    }
  }

  /// The command with its parameters, as a usage line shows it: `build [target]`.
  public var signature: String {
    parameters.reduce(name) { $0 + ($1.isRequired ? " <\($1.name)>" : " [\($1.name)]") }
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
