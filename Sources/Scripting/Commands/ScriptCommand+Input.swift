import LuaRuntime
import Platform

extension ScriptCommand {
  /// Parses the input from the words after the command's name: a table of its parameters, or of the
  /// given values if it accepts any, or the JSON of `--input`.
  ///
  /// - Throws: `InputError`.
  public func input(from words: [String]) throws(InputError) -> LuaValue {
    try input(of: try Arguments(words, for: description.parameters))
  }

  /// Parses the input from words by the names of the parameters to which they belong: several only for
  /// the rest parameter, and for `input` a JSON document, as after `--input`. A word is the same value,
  /// and the same error, as in a command line.
  ///
  /// - Throws: `InputError`.
  public func input(
    byName words: [(name: String, words: [String])]
  ) throws(InputError) -> LuaValue {
    try input(of: try Arguments(byName: words, for: description.parameters))
  }

  private func input(of given: Arguments) throws(InputError) -> LuaValue {
    var arguments = given
    if let json = arguments.json {
      let input = try host.value(json: json)
      guard description.parameters != nil || arguments.hasValues else { return input }
      // A list is a table too, with its length in `n`.
      let isObject = json.first { !$0.isWhitespace } == "{"
      guard isObject, let fields = host.fields(of: input) else { throw .noObject }
      try arguments.complete(with: fields, elements: host.elements(of:))
    }
    try refuseGap(in: arguments)
    return table(of: arguments)
  }

  private func refuseGap(in arguments: Arguments) throws(InputError) {
    let gap = description.work?.arguments?.gap(
      value: { name in arguments.named.first { $0.name == name }?.value.argumentBytes },
      hasRest: arguments.rest?.values.isEmpty == false)
    if let gap = gap ?? nil { throw .gap(missing: gap.missing, given: gap.given) }
  }

  /// Returns the input of a call with values by name, checked and with defaults.
  ///
  /// - Throws: `InputError`.
  func input(with fields: [(name: String, value: LuaValue)]) throws(InputError) -> LuaValue {
    guard description.parameters != nil, !description.takesInputOfPrograms else {
      return host.value { stack in
        stack.newTable(fields: fields.count)
        for (name, value) in fields { stack.set(name, value, at: -1) }
      }
    }
    var arguments = try Arguments([], for: description.parameters, isComplete: false)
    try arguments.complete(with: fields, elements: host.elements(of:))
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
      if arguments.positionals.isEmpty, arguments.rest == nil {
        stack.markObject(of: arguments.named.count)
      }
      guard let (name, values) = arguments.rest else { return }
      stack.newTable(elements: values.count)
      for (index, value) in values.enumerated() {
        stack.push(value)
        stack.rawSet(index + 1, at: -2)
      }
      // As in a list from JSON: an empty table alone would be an object.
      if values.isEmpty { stack.set("n", 0, at: -1) }
      stack.rawSet(name, at: -2)
    }
  }

  /// Checks the input from a script or a plan against the parameters and fills in their defaults;
  /// without declared parameters, returns it unchanged.
  ///
  /// - Throws: `InputError`.
  public func checked(_ input: LuaValue) throws(InputError) -> LuaValue {
    guard let parameters = description.parameters, !description.takesInputOfPrograms else {
      return input
    }
    guard let given = input.isNil ? [] : host.fields(of: input) else { throw .noObject }
    if let word = firstElement(of: input) {
      throw .surplus(host.describe(word), known: parameters.map(\.name))
    }
    var arguments = try Arguments([], for: parameters, isComplete: false)
    try arguments.complete(with: given, elements: host.elements(of:))
    try refuseGap(in: arguments)
    return table(of: arguments)
  }

  private func firstElement(of input: LuaValue) -> LuaValue? {
    guard input.type == .table else { return nil }
    return host.interpreter.withStack { stack in
      stack.push(input)
      return TableFields(stack, at: -1).elements(count: 1).first { !$0.isNil }
    } ?? nil
  }

  /// Checks the files of variables for its processes.
  ///
  /// - Throws: `Failure` of kind `input` for a file of variables that cannot be read.
  public func checkSurroundings() throws(Failure) {
    try description.environment.check(for: host.caller)
  }

  /// Checks that one of its files of variables can be read, after those before it.
  ///
  /// - Parameter unset: the value of variables that are not set; nil if to name them is a mistake.
  /// - Throws: `Failure` of kind `input`.
  func checkVariableFile(_ path: String, unset: [UInt8]? = nil) throws(Failure) {
    let all = description.environment.variableFiles
    let last = all.firstIndex { $0.path == path } ?? all.startIndex
    // A mistake in another file is one of that.
    let files = all.prefix(through: last).filter { file in
      file.path == path || (try? EnvironmentFile.read([file], for: host.caller, unset: [])) != nil
    }
    _ = try EnvironmentFile.read(files, for: host.caller, unset: unset)
  }

  /// Returns true if a parameter's value must not be shown.
  public func isSecret(_ parameter: Parameter) -> Bool {
    description.environment.secrets.contains(parameter.name)
  }

  /// The files from which it reads variables.
  public var variableFiles: [String] { description.environment.variableFiles.map(\.path) }

  /// The files from which it reads variables, with those that set one of its secrets marked.
  ///
  /// - Throws: `Failure` of kind `input` for a file that cannot be read.
  public func variableSources() throws(Failure) -> [VariableSource] {
    let environment = description.environment
    var sources: [VariableSource] = []
    for file in environment.variableFiles {
      let names = try EnvironmentFile.read([file], for: host.caller).map(\.name)
      sources.append(
        VariableSource(
          path: file.path, isOptional: file.isOptional,
          isSecret: names.contains { environment.secrets.contains($0) }))
    }
    return sources
  }

  /// True if it names variables or parameters whose values must not be shown.
  public var hasSecrets: Bool { !description.environment.secrets.isEmpty }

  /// Hides the secrets of an input from now on.
  public func hideSecrets(of input: LuaValue) {
    Secrets.add(description.environment, input: input, host)
  }

  /// Hides the secrets in a problem with an input, so that the problem can be reported.
  public func hideSecrets(of problem: InputError) {
    let secrets = parameters.filter(isSecret)
    switch problem {
    case .wrongKind(let name, let given, _), .notAChoice(let name, let given, _):
      if secrets.contains(where: { $0.name == name }) { Secrets.add(given.exactBytes) }
    case .surplus(let word, _):
      // Any word may be a secret.
      if !secrets.isEmpty { Secrets.add(word.exactBytes) }
    default: break
    }
  }

  /// The command with its parameters, as in a usage line: `build [target]`.
  public var signature: String {
    if takesAnyInput { return name + " [args...]" }
    return parameters.reduce(name) { text, parameter in
      let name = parameter.name + (parameter.isRest ? "..." : "")
      return text + (parameter.isRequired ? " <\(name)>" : " [\(name)]")
    }
  }
}

extension ScriptHost {
  /// Returns the fields of a table; nil for any other value.
  public func fields(of value: LuaValue) -> [(name: String, value: LuaValue)]? {
    guard value.type == .table else { return nil }
    return interpreter.withStack { stack in
      stack.push(value)
      let fields = TableFields(stack, at: -1)
      return fields.names.sorted().map { ($0, fields[$0]) }
    }
  }
}
