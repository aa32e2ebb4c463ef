import LuaRuntime
import Platform

extension Parameter {
  /// Reads the parameters of a definition: nil for `params = "any"`, and if the field is absent.
  static func all(_ fields: TableFields, _ problems: DefinitionProblems) throws -> [Parameter]? {
    let (stack, bad) = (fields.stack, problems.bad)
    let type = fields.push("params")
    defer { stack.pop() }
    if type == .nil { return nil }
    if stack.value(at: -1).stringValue?.exactText == "any" { return nil }
    guard stack.type(at: -1) == .table else {
      throw bad("field 'params' must be a list of tables, or \"any\"")
    }
    let list = stack.top
    if let key = TableFields(stack, at: list).names.min() {
      throw bad("field 'params' has '\(key)' outside a parameter: params = {{\(key) = …}}")
    }
    var parameters: [Parameter] = []
    for position in 0..<stack.rawLength(at: list) {
      defer { stack.top = list }
      try problems.part(()) {
        guard stack.rawGet(position + 1, at: list) == .table else {
          throw bad("params[\(position + 1)] must be a table such as {name = \"target\"}")
        }
        let parameter = try Parameter(
          TableFields(stack, at: -1), place: "params[\(position + 1)]", problems)
        guard !parameters.contains(where: { $0.name == parameter.name }) else {
          throw bad("parameter '\(parameter.name)' is declared twice")
        }
        // In shells both have the name of the one with '_'.
        if let other = parameters.first(where: { $0.variable == parameter.variable }) {
          throw bad(
            "parameters '\(other.name)' and '\(parameter.name)' differ only by '-' and '_'")
        }
        if let last = parameters.last, last.isRest {
          throw bad("parameter '\(last.name)' takes the rest and must be the last one")
        }
        parameters.append(parameter)
      }
    }
    return parameters
  }

  /// Makes a parameter from a script's declaration.
  ///
  /// - Parameter place: the description that messages use before its name is known.
  init(
    _ fields: TableFields, place: String, _ problems: DefinitionProblems
  ) throws {
    let bad = problems.bad
    try problems.lookForUnknownKeys(
      in: fields, of: Library.parameter, "\(place) has an ")
    guard let name = fields.text("name"), !name.isEmpty else {
      throw bad("\(place) needs a name" + problems.hintAtUnsetName(in: "params"))
    }
    guard !name.keepsBytes else {
      throw bad("the name of \(place) must be UTF-8, got '\(name)'")
    }
    var kind = Kind.string
    if let given = fields.text("type") {
      kind = try problems.part(kind) {
        if let known = Kind(rawValue: given) { return known }
        let kinds = Kind.allCases.map(\.rawValue)
        let hint = didYouMean(
          given, among: kinds, otherwise: "the types are \(kinds.joined(separator: ", "))")
        throw bad("parameter '\(name)' has type '\(given)'" + hint)
      }
    }
    let flag = { (field: String) in
      try problems.part(false) {
        try fields.bool(field, called: "'\(field)' of parameter '\(name)'", bad) ?? false
      }
    }
    let (isRest, isRequired) = (try flag("rest"), try flag("required"))
    if isRequired, fields.type("default") != .nil {
      try problems.part(()) {
        throw bad("parameter '\(name)' is required, so its default is never used; remove one")
      }
    }
    let isComputed = !isRest && fields.hasComputed("default")
    self.init(
      name: name, kind: kind, isRequired: isRequired,
      defaultValue: isComputed || isRest ? .nil : fields["default"], isComputed: isComputed,
      choices: try Self.choices(fields, of: name, problems),
      help: fields.text("help"), isRest: isRest)
    if isRest, fields.type("default") != .nil { restDefault = try restDefault(fields, bad) }
    guard !defaultValue.isNil else { return }
    guard kind.accepts(defaultValue) else {
      throw bad("parameter '\(name)' is of type '\(kind.rawValue)', its default is not")
    }
    guard choices.isEmpty || choices.contains(defaultValue.description) else {
      throw bad("parameter '\(name)' has the default '\(defaultValue)', which is not a choice")
    }
  }

  private func restDefault(
    _ fields: TableFields, _ bad: (String) -> any Error
  ) throws -> [LuaValue] {
    let words = fields.list("default")
    guard fields.type("default") == .table else {
      throw bad(
        "parameter '\(name)' takes the rest: its default is a list, such as {\"--verbose\", \"all\"}"
      )
    }
    for (position, word) in words.enumerated() {
      guard kind.accepts(word) else {
        throw bad(
          "parameter '\(name)' is of type '\(kind.rawValue)', word \(position + 1) of its default is not"
        )
      }
      guard choices.isEmpty || choices.contains(word.description) else {
        throw bad("parameter '\(name)' has the default '\(word)', which is not a choice")
      }
    }
    return words
  }

  private static func choices(
    _ fields: TableFields, of name: String, _ problems: DefinitionProblems
  ) throws -> [String] {
    try problems.part([]) {
      let type = fields.type("choices")
      guard type != .nil else { return [] }
      let choices = fields.list("choices").map(\.description)
      guard type == .table, !choices.isEmpty else {
        throw problems.bad("the choices of parameter '\(name)' must be a list of at least one")
      }
      return choices
    }
  }
}

extension Parameter.Kind {
  fileprivate func accepts(_ value: LuaValue) -> Bool {
    switch self {
    case .string: value.stringValue != nil
    case .integer: value.integerValue != nil
    case .number: value.numberValue != nil
    case .boolean: value.boolValue != nil
    }
  }
}
