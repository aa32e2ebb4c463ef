import Platform

/// The tasks of a pyproject.toml: those of poe, the scripts of PDM and those of Hatch's environments.
///
/// Python reads the file, as those tools do: Debian's libraries for TOML are made for C++, and can not
/// be loaded when they are needed.
enum Pyproject {
  /// True if a file seems to have such tasks.
  static func hasTasks(_ path: String) -> Bool {
    guard let content = fileContent(path) else { return false }
    let text = String(decoding: content, as: UTF8.self)
    return text.split(separator: "\n").contains { line in
      ["[tool.poe", "[tool.pdm.scripts", "[tool.hatch.envs"].contains { line.hasPrefix($0) }
    }
  }

  private static let reader = """
    import json, sys
    try:
        import tomllib
    except ImportError:
        sys.exit("reading it needs Python 3.11 or later")
    try:
        with open(sys.argv[1], "rb") as file:
            document = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        json.dump({"error": str(error)}, sys.stdout)
    else:
        json.dump(document.get("tool", {}), sys.stdout, default=str)
    """

  static func recipes(
    _ file: AdoptedFile, _ inputs: inout AdoptionInputs
  ) throws(AdoptionError) -> [AdoptedRecipe] {
    let content = try file.content()
    var answer = try ToolAnswer(
      of: ["python3", "-I", "-S", "-c", reader, file.name], for: file)
    let tools = try answer.document()
    if let error = tools["error"]?.string { throw malformed(file, error) }
    let lines = TOMLLines(content)
    var recipes = PoeTasks(tools["poe"], lines).recipes
    for recipe in PDMScripts.recipes(tools["pdm"], lines)
      + HatchScripts.recipes(tools["hatch"], lines)
    {
      var recipe = recipe
      if recipes.contains(where: { $0.name == recipe.name }) {
        recipe.name = "\(recipe.words[0]):\(recipe.name)"
      }
      recipes.append(recipe)
    }
    return recipes
  }

  /// Python ends its message with `(at line 3, column 5)`.
  private static func malformed(_ file: AdoptedFile, _ error: String) -> AdoptionError {
    guard let (reason, place) = error.cut(atLast: "("), place.hasPrefix("at line "),
      let line = Int(place.dropFirst(8).prefix { $0.isNumber })
    else { return .failedTool("python3", file: file.title, errors: error) }
    return .malformed(file.title, line: line, reason: String(reason.dropLast()))
  }
}

/// The tasks of `poe`.
private struct PoeTasks {
  private(set) var recipes: [AdoptedRecipe] = []

  init(_ poe: JSONValue?, _ lines: TOMLLines) {
    let groups = (poe?["groups"]?.fields ?? []).map { name, group in
      (group["heading"]?.string ?? name, group["tasks"]?.fields ?? [])
    }
    for (name, task) in poe?["tasks"]?.fields ?? [] where Self.isPublic(name) {
      recipes.append(
        Self.recipe(name, task, group: nil, lines.line(of: name, in: "tool.poe.tasks")))
    }
    for (heading, tasks) in groups {
      for (name, task) in tasks where Self.isPublic(name) {
        recipes.append(Self.recipe(name, task, group: heading, nil))
      }
    }
  }

  /// Others are for other tasks, and `poe` refuses to execute them.
  private static func isPublic(_ name: String) -> Bool { !name.hasPrefix("_") }

  private static func recipe(
    _ name: String, _ task: JSONValue, group: String?, _ line: Int?
  ) -> AdoptedRecipe {
    var recipe = AdoptedRecipe(name: name, words: ["poe", name])
    let help = task["help"]?.string?.split(whereSeparator: \.isNewline).map(String.init) ?? []
    recipe.summary = help.first
    if help.count > 1 { recipe.details = help.joined(separator: "\n") }
    (recipe.group, recipe.line) = (group, line)
    let declared = task["args"].map(Self.parameters)
    recipe.parameters = declared ?? [AdoptedParameter(name: "args", form: .rest)]
    return recipe
  }

  private static func parameters(_ args: JSONValue) -> [AdoptedParameter] {
    let named: [(String?, JSONValue)] =
      args.fields.isEmpty
      ? args.elements.map { (nil, $0) } : args.fields.map { ($0.0, $0.1) }
    let parameters = named.compactMap { parameter(named: $0, $1) }
    return parameters.filter { $0.form == .word }
      + parameters.filter { $0.form != .word && $0.form != .rest }
      + parameters.filter { $0.form == .rest }.prefix(1)
  }

  private static func parameter(named key: String?, _ argument: JSONValue) -> AdoptedParameter? {
    guard let name = key ?? argument.string ?? argument["name"]?.string else { return nil }
    let options = (argument["options"]?.elements ?? []).compactMap(\.string)
    let option =
      options.first { $0.hasPrefix("--") } ?? options.first
      ?? (name.hasPrefix("-") ? name : "--\(name)")
    let bare = name.drop { $0 == "-" }
    var parameter = AdoptedParameter(name: String(bare))
    let isPositional = argument["positional"].map { $0.isTrue || $0.string != nil } ?? false
    parameter.help = argument["help"]?.string
    parameter.isRequired = argument["required"]?.isTrue == true
    parameter.defaultText = argument["default"].flatMap(Self.text)
    parameter.choices = (argument["choices"]?.elements ?? []).compactMap(Self.text)
    let isMultiple = argument["multiple"].map { $0.isTrue || $0.integer != nil } ?? false
    if isPositional {
      parameter.form = isMultiple ? .rest : .word
    } else if argument["type"]?.string == "boolean" {
      parameter.form = .flag(option)
      (parameter.isRequired, parameter.defaultText) = (false, nil)
    } else {
      parameter.form = .option(option)
    }
    return parameter
  }

  private static func text(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text
    case .integer, .number, .bool: value.text
    case .null, .list, .object, .raw: nil
    }
  }
}

/// The scripts of `pdm`.
private enum PDMScripts {
  static func recipes(_ pdm: JSONValue?, _ lines: TOMLLines) -> [AdoptedRecipe] {
    (pdm?["scripts"]?.fields ?? []).compactMap { name, script in
      // The options of all scripts.
      guard name != "_" else { return nil }
      var recipe = AdoptedRecipe(name: name, words: ["pdm", "run", name])
      recipe.summary =
        script["help"]?.string
        ?? (script.string ?? ["cmd", "shell", "call"].lazy.compactMap { script[$0]?.string }.first)
        .flatMap { $0.split(whereSeparator: \.isNewline).first.map(String.init) }
      recipe.isPrivate = name.hasPrefix("_")
      recipe.parameters = [AdoptedParameter(name: "args", form: .rest)]
      recipe.line = lines.line(of: name, in: "tool.pdm.scripts")
      return recipe
    }
  }
}

/// The scripts of the environments of `hatch`.
private enum HatchScripts {
  static func recipes(_ hatch: JSONValue?, _ lines: TOMLLines) -> [AdoptedRecipe] {
    (hatch?["envs"]?.fields ?? []).flatMap { environment, definition in
      (definition["scripts"]?.fields ?? []).map { name, script in
        let name = environment == "default" ? name : "\(environment):\(name)"
        var recipe = AdoptedRecipe(name: name, words: ["hatch", "run", name])
        recipe.summary = script.string ?? script.elements.first?.string
        recipe.parameters = [AdoptedParameter(name: "args", form: .rest)]
        let key = name.cut(atLast: ":").map { String($0.after) } ?? name
        recipe.line = lines.line(of: key, in: "tool.hatch.envs.\(environment).scripts")
        return recipe
      }
    }
  }
}

/// The lines of the keys of tables, as they are usually written.
private struct TOMLLines {
  private var lines: [String: Int] = [:]

  init(_ content: [UInt8]) {
    var table = ""
    let text = String(decoding: content, as: UTF8.self)
    for (index, line) in text.split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline
    ).enumerated() {
      let bare = line.filter { $0 != " " && $0 != "\t" && $0 != "\"" && $0 != "'" }
      if bare.hasPrefix("["), let end = bare.firstIndex(of: "]") {
        table = String(bare[bare.index(after: bare.startIndex)..<end])
        if lines[table] == nil { lines[table] = index + 1 }
      } else if let (key, _) = bare.cut(atFirst: "="), !key.isEmpty {
        let path = "\(table).\(key)"
        if lines[path] == nil { lines[path] = index + 1 }
      }
    }
  }

  func line(of key: String, in table: String) -> Int? { lines["\(table).\(key)"] }
}
