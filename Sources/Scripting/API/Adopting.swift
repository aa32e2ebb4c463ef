import LuaRuntime
import Platform

extension Library {
  /// The function for files of other tools.
  static let adopting: [APIFunction] = [
    APIFunction(
      "adopt", needs: .files,
      [
        .required("file", .string),
        .optional(
          "options", .noted(.table, "rac.AdoptOptions|table<string, rac.CommandDefinition>")),
        .optional("additions", .noted(.table, "table<string, rac.CommandDefinition>")),
      ], returns: .noted(.table, "table<string, rac.Command>"),
      "Makes commands of the recipes of a justfile, Taskfile, Makefile, package.json, pyproject.toml or compose.yaml, with their names, parameters, documentation, groups and aliases; the tool executes them. Services of a compose.yaml become services. `additions` maps names of recipes to keys of `rac.command`: conditions, needs, `when_busy` and other settings that the tool does not have. They may also be in `options`. A command of this file replaces an adopted one with the same name. Listing the recipes does not execute anything in the file. Returns the commands by the names of their recipes.",
      example: """
        local file <close> = io.open("package.json", "w")
        file:write('{"scripts": {"build": "tsc", "test": "node --test"}}')
        file:close()
        local scripts = rac.adopt("package.json", {as = "npm", build = {when_busy = "restart"}})
        os.remove("package.json")
        print(scripts.test.name)
        --> npm:test
        """
    ) { call in
      try Adoption(call).adopt()
    }
  ]

  static let adoptOptions = APIRecord(
    name: "rac.AdoptOptions",
    summary: "How to turn the recipes of another tool's file into commands.",
    fields: [
      .init("as", needs: [], "string?", "the namespace of the commands: `as:name`"),
      .init("only", needs: [], "(string|string[])?", "the recipes to adopt (default: all)"),
      .init(
        "private", needs: [], "(boolean|string|string[])?",
        "the recipes that lists omit, in addition to those that the tool's own list omits; true: all"
      ),
    ])
}

/// One call of `rac.adopt`.
private struct Adoption {
  private let call: APICall
  private let host: ScriptHost
  private let stack: LuaStack
  private let given: String
  private var namespace: String?
  private var only: [String]?
  /// The recipes to leave out of lists, besides those that the tool does.
  private var hidden: [String] = []
  private var hidesAll = false
  /// The stack index of the table of additions.
  private let additions: Int

  init(_ call: APICall) throws {
    self.call = call
    host = call.host
    stack = call.stack
    given = call.value(at: 1).stringValue?.exactText ?? ""
    // Arguments 1 to 3; argument 1 then holds one definition after the other.
    stack.top = 3
    stack.newTable()
    additions = stack.top
    if call.has(2) { try readOptions() }
    if call.has(3) {
      for name in TableFields(stack, at: 3).names { try add(name, from: 3) }
    }
  }

  private func bad(_ index: Int, _ problem: String) -> LuaArgumentError {
    .value(at: index, problem: problem)
  }

  private mutating func readOptions() throws {
    let fields = TableFields(stack, at: 2)
    for name in fields.names.sorted() {
      let value = fields[name]
      let isRecipe = value.type == .table && fields.list(name).isEmpty
      switch name {
      case "as" where !isRecipe:
        guard let text = value.stringValue?.exactText, !text.isEmpty, !text.contains(":"),
          !text.hasPrefix("-"), !text.keepsBytes
        else {
          throw bad(
            2, "option 'as' must be a name without ':' that does not begin with '-'")
        }
        namespace = text
      case "only" where !isRecipe: only = try names(name, fields)
      case "private" where !isRecipe:
        if let all = value.boolValue { hidesAll = all } else { hidden = try names(name, fields) }
      default: try add(name, from: 2)
      }
    }
  }

  private func names(_ option: String, _ fields: TableFields) throws -> [String] {
    if let name = fields.text(option) { return [name] }
    let names = fields.list(option).compactMap(\.stringValue?.exactText)
    guard !names.isEmpty, names.count == fields.list(option).count else {
      throw bad(2, "option '\(option)' must be the name of a recipe or a list of names")
    }
    return names
  }

  private func add(_ name: String, from index: Int) throws {
    guard stack.rawGet(name, at: index) == .table else {
      let problem =
        "unknown option '\(name)'; the options are as, only, private, "
        + "and keys for a recipe are a table: \(name) = {…}"
      throw bad(index, problem)
    }
    stack.rawSet(name, at: additions)
  }

  // MARK: The recipes

  func adopt() throws -> LuaOutcome {
    let scope = host.scopeOfDefinition() ?? host.loadingScope()
    let path = scope?.resolved(given) ?? given
    let title = SourceScope.simplified(
      SourceScope.join(scope.map { SourceScope.folder(of: $0.name) } ?? "", given))
    stack.newTable()
    let commands = stack.top
    do throws(AdoptionError) {
      guard let format = AdoptedFormat(ofFile: path) else { throw .format(title) }
      // A watch, a page and a session load the commands again when it changes, or is made.
      if let state = CommandFileState(path) {
        host.scopes.begin(SourceScope(path: path, name: title, state: state))
      } else {
        host.scopes.addMissing(path)
      }
      let file = AdoptedFile(path: path, title: title)
      let recipes: [AdoptedRecipe]
      do throws(AdoptionError) { recipes = try format.recipes(of: file) } catch {
        try leaveOut(error)
        stack.copy(from: commands)
        return .results(1)
      }
      try check(recipes, title)
      let taken = taken(of: recipes)
      let names = Set(taken.map(\.name))
      for case let tool? in taken.map(\.words.first) {
        host.registry.note(AdoptedTool(name: tool, file: title, folder: file.folder))
      }
      for recipe in taken { try define(recipe, of: title, besides: names, commands) }
    } catch {
      let located = located(error)
      guard let report = host.reportMistake else { throw LuaError(located) }
      report(located)
    }
    stack.copy(from: commands)
    return .results(1)
  }

  /// The text of a mistake with its place, which is that of the call unless it has its own.
  private func located(_ error: AdoptionError) -> String {
    if error.hasPlace { return "\(error)" }
    return host.placeOfCall().map { "\($0): \(error)" } ?? "\(error)"
  }

  /// Reports a file that cannot be listed, as its tool is missing or it has a mistake: the commands of
  /// other files do not depend on it.
  private func leaveOut(_ error: AdoptionError) throws(AdoptionError) {
    guard error.concernsFileAlone else { throw error }
    // It is what the program was asked for, and nothing else would be left.
    if let file = host.scopes.all.first, AdoptedFormat(ofFile: file.path) != nil,
      !host.adoptsSeveral
    {
      throw error
    }
    let located = located(error)
    if let report = host.reportMistake { report(located) } else { host.log(.warn, located) }
  }

  /// The recipes to take: those that `only` names and what they need, or all.
  private func taken(of recipes: [AdoptedRecipe]) -> [AdoptedRecipe] {
    guard let only else { return recipes }
    var names = Set(only)
    var left = only
    while let name = left.popLast() {
      for need in recipes.first(where: { $0.name == name })?.needs ?? []
      where names.insert(need).inserted { left.append(need) }
    }
    return recipes.filter { names.contains($0.name) }
  }

  private func check(_ recipes: [AdoptedRecipe], _ file: String) throws(AdoptionError) {
    let known = recipes.map(\.name)
    let named = (only ?? []) + hidden + TableFields(stack, at: additions).names.sorted()
    for name in named where !known.contains(name) {
      throw .unknownRecipe(name, file: file, known: known)
    }
  }

  /// Defines the command of a recipe and adds it to a table.
  private func define(
    _ recipe: AdoptedRecipe, of file: String, besides names: Set<String>, _ commands: Int
  ) throws(AdoptionError) {
    let top = stack.top
    defer { stack.top = top }
    let place = recipe.file.map { SourceScope.join(SourceScope.folder(of: file), $0) } ?? file
    let position = recipe.line.map { "\(place):\($0)" } ?? place
    try pushDefinition(of: recipe, besides: names)
    stack.replace(at: 1)
    let definition = CommandDefinition(
      call,
      adopted: AdoptedDefinition(
        file: file, position: position, arguments: AdoptedArguments(of: recipe)))
    do {
      _ = try definition.pushFromTable()
      stack.rawSet(recipe.name, at: commands)
    } catch {
      throw .definition(host.problemText(error), recipe: recipe.name)
    }
  }

  private func named(_ name: String) -> String { namespace.map { "\($0):\(name)" } ?? name }

  /// The aliases that name nothing else: two tasks may have the same, and a task may repeat one.
  private func aliases(of recipe: AdoptedRecipe, besides names: Set<String>) -> [String] {
    let scope = host.scopeOfDefinition()
    var aliases: [String] = []
    for alias in recipe.aliases where !names.contains(alias) {
      let name = named(alias)
      if host.command(named: scope?.defined(name) ?? name) == nil, !aliases.contains(name) {
        aliases.append(name)
      }
    }
    return aliases
  }

  private func pushDefinition(
    of recipe: AdoptedRecipe, besides names: Set<String>
  ) throws(AdoptionError) {
    stack.newTable()
    let table = stack.top
    stack.set("name", LuaValue(named(recipe.name)), at: table)
    if let summary = recipe.summary, !summary.isEmpty {
      stack.set("summary", LuaValue(summary), at: table)
    }
    if let details = recipe.details { stack.set("description", LuaValue(details), at: table) }
    if let group = recipe.group, !group.isEmpty { stack.set("group", LuaValue(group), at: table) }
    stack.set(
      "private", .bool(recipe.isPrivate || hidesAll || hidden.contains(recipe.name)), at: table)
    if recipe.isInteractive { stack.set("interactive", .bool(true), at: table) }
    if let question = recipe.question { stack.set("confirm", LuaValue(question), at: table) }
    if recipe.isService { stack.set("service", .bool(true), at: table) }
    if let line = recipe.readyLine { stack.set("ready", LuaValue(line), at: table) }
    if !recipe.needs.isEmpty {
      push(recipe.needs.map(named))
      stack.rawSet("needs", at: table)
    }
    push(aliases(of: recipe, besides: names))
    stack.rawSet("aliases", at: table)
    push(recipe.words)
    stack.rawSet("run", at: table)
    let folder = FilePath.parent(of: given)
    if folder != "." || !host.fileDefaults.isEmpty {
      stack.set("cwd", LuaValue(folder), at: table)
    }
    pushParameters(recipe.parameters)
    stack.rawSet("params", at: table)
    guard stack.rawGet(recipe.name, at: additions) == .table else { return stack.top = table }
    let own = stack.top
    for key in TableFields(stack, at: own).names.sorted() {
      guard !["name", "run", "steps", "params"].contains(key) else {
        throw .key(key, recipe: recipe.name)
      }
      stack.rawGet(key, at: own)
      stack.rawSet(key, at: table)
    }
    stack.top = table
  }

  /// Pushes a list of texts. [-0, +1]
  private func push(_ texts: [String]) {
    stack.newTable(elements: texts.count)
    for (index, text) in texts.enumerated() {
      stack.push(text)
      stack.rawSet(index + 1, at: -2)
    }
  }

  /// Pushes the declarations of parameters. [-0, +1]
  private func pushParameters(_ parameters: [AdoptedParameter]) {
    stack.newTable(elements: parameters.count)
    for (index, parameter) in parameters.enumerated() {
      stack.newTable(fields: 4)
      stack.set("name", LuaValue(parameter.name), at: -1)
      let isRequired = parameter.isRequired && parameter.defaultText == nil
      stack.set("required", .bool(isRequired), at: -1)
      switch parameter.form {
      case .flag: stack.set("type", "boolean", at: -1)
      case .rest: stack.set("rest", .bool(true), at: -1)
      case .word, .option, .variable:
        if let text = parameter.defaultText { stack.set("default", LuaValue(text), at: -1) }
      }
      if let help = parameter.help { stack.set("help", LuaValue(help), at: -1) }
      if !parameter.choices.isEmpty {
        push(parameter.choices)
        stack.rawSet("choices", at: -2)
      }
      stack.rawSet(index + 1, at: -2)
    }
  }
}
