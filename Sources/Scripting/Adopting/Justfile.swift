/// The recipes of a justfile, as `just --dump` has them. That evaluates nothing.
struct Justfile {
  private let file: AdoptedFile

  static func recipes(
    _ file: AdoptedFile, _ inputs: inout AdoptionInputs
  ) throws(AdoptionError) -> [AdoptedRecipe] {
    let content = try file.content()
    var answer = try ToolAnswer(of: lister(of: file), for: file)
    // just works meanwhile.
    JustfileInputs.add(file.path, to: &inputs)
    let lines = lines(of: content)
    let document = try answer.document(without: ["body"])
    // The dump is sorted by names.
    return Justfile(file: file).recipes(of: document, lines).enumerated().sorted {
      ($0.element.line ?? .max, $0.offset) < ($1.element.line ?? .max, $1.offset)
    }.map(\.element)
  }

  /// The program that lists a file and its words.
  static func lister(of file: AdoptedFile) -> [String] {
    ["just", "--justfile", file.name, "--dump", "--dump-format", "json"]
  }

  /// The words that name the file, unless just finds it by itself.
  private var program: [String] {
    ["justfile", ".justfile"].contains(file.name.lowercased())
      ? ["just"] : ["just", "--justfile", file.name]
  }

  private func recipes(of module: JSONValue, _ lines: [String: Int]) -> [AdoptedRecipe] {
    var aliases: [String: [String]] = [:]
    let prefix = module["module_path"]?.text(or: "") ?? ""
    for (name, alias) in module["aliases"]?.fields ?? [] {
      guard let target = alias["target"]?.string else { continue }
      aliases[target, default: []].append(prefix.isEmpty ? name : "\(prefix)::\(name)")
    }
    var recipes = (module["recipes"]?.fields ?? []).map { name, recipe in
      var adopted = self.recipe(
        recipe, named: name, at: prefix, aliases[name] ?? [],
        line: prefix.isEmpty ? lines[name] : nil)
      ask(as: recipe, in: module, &adopted)
      return adopted
    }
    for (_, inner) in module["modules"]?.fields ?? [] { recipes += self.recipes(of: inner, lines) }
    return recipes
  }

  private func recipe(
    _ recipe: JSONValue, named name: String, at module: String, _ aliases: [String], line: Int?
  ) -> AdoptedRecipe {
    let path = recipe["namepath"]?.string ?? (module.isEmpty ? name : "\(module)::\(name)")
    var adopted = AdoptedRecipe(name: path, words: program + [path])
    adopted.summary = recipe["doc"]?.string
    adopted.isPrivate = recipe["private"]?.isTrue == true
    adopted.aliases = aliases
    adopted.line = line
    for attribute in recipe["attributes"]?.elements ?? [] {
      if adopted.group == nil { adopted.group = attribute["group"]?.string }
    }
    let parameters = (recipe["parameters"]?.elements ?? []).map(Self.parameter)
    // Words go to the parameters that just takes by place.
    adopted.parameters =
      parameters.filter { $0.form == .word }
      + parameters.filter { $0.form != .word && $0.form != .rest }
      + parameters.filter { $0.form == .rest }
    return adopted
  }

  /// Lets a recipe ask what just would ask. just answers all questions or none: where what the recipe
  /// depends on asks, too, just asks.
  private func ask(as recipe: JSONValue, in module: JSONValue, _ adopted: inout AdoptedRecipe) {
    let dependencies = Self.dependencies(of: recipe, in: module)
    let areSilent = dependencies?.allSatisfy { Self.question(of: $0) == nil } ?? false
    guard let question = Self.question(of: recipe) else {
      adopted.isInteractive = dependencies != nil && !areSilent
      return
    }
    guard let text = question.isNull ? "Run recipe '\(adopted.name)'?" : question.string,
      areSilent
    else { return adopted.isInteractive = true }
    adopted.question = text
    adopted.words.insert("--yes", at: 1)
  }

  /// What a recipe asks: null for just's own words; nil if it asks nothing.
  private static func question(of recipe: JSONValue) -> JSONValue? {
    for attribute in recipe["attributes"]?.elements ?? [] {
      if attribute.string == "confirm" { return .null }
      if let question = attribute["confirm"] { return question }
    }
    return nil
  }

  /// The recipes that a recipe depends on, directly or not; nil if some are of another module.
  private static func dependencies(of recipe: JSONValue, in module: JSONValue) -> [JSONValue]? {
    var (known, found, next): (Set<String>, [JSONValue], [JSONValue]) = ([], [], [recipe])
    while let recipe = next.popLast() {
      for dependency in recipe["dependencies"]?.elements ?? [] {
        guard let name = dependency["recipe"]?.string, known.insert(name).inserted else { continue }
        // One of another module may ask.
        guard let recipe = module["recipes"]?[name] else { return nil }
        found.append(recipe)
        next.append(recipe)
      }
    }
    return found
  }

  private static func parameter(_ parameter: JSONValue) -> AdoptedParameter {
    var adopted = AdoptedParameter(name: parameter["name"]?.string ?? "")
    let kind = parameter["kind"]?.string
    let value = parameter["default"]
    let isAbsent = value == nil || value?.isNull == true
    adopted.isRequired = isAbsent && kind != "star"
    adopted.help = parameter["help"]?.string
    let isRest = kind == "star" || kind == "plus"
    if let value, !value.isNull, isRest || value.string == nil {
      let note =
        value.string.map { "(default: \(JustExpression.text(of: .string($0))))" }
        ?? "(default: \(JustExpression.text(of: value)), which just computes)"
      adopted.help = adopted.help.map { "\($0) \(note)" } ?? note
    } else {
      adopted.defaultText = value?.string
    }
    adopted.choices = Self.choices(parameter["pattern"])
    let long = parameter["long"]?.string
    let option = long.map { "--\($0)" } ?? parameter["short"]?.string.map { "-\($0)" }
    if let option {
      let isFlag = parameter["value"]?.string != nil || parameter["flag"]?.isTrue == true
      adopted.form = isFlag ? .flag(option) : .option(option)
      if let long { adopted.name = long }
      if isFlag {
        (adopted.isRequired, adopted.defaultText) = (false, nil)
      }
    } else if isRest {
      (adopted.form, adopted.choices) = (.rest, [])
    }
    return adopted
  }

  /// The values of a pattern that is nothing but alternatives.
  private static func choices(_ pattern: JSONValue?) -> [String] {
    guard
      let patterns = pattern.map({ $0.string.map { [$0] } ?? $0.elements.compactMap(\.string) }),
      patterns.count == 1, let text = patterns.first, text.contains("|"),
      text.utf8.allSatisfy({ byte in
        byte == UInt8(ascii: "|") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
          || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
      })
    else { return [] }
    return text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
  }

  /// The lines that define recipes, by name.
  private static func lines(of content: [UInt8]) -> [String: Int] {
    var lines: [String: Int] = [:]
    for (index, line) in content.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).enumerated() {
      let bare = line.first == UInt8(ascii: "@") ? line.dropFirst() : line
      let name = bare.prefix(while: \.isNamePart)
      let rest = bare[name.endIndex...]
      guard !name.isEmpty, rest.contains(UInt8(ascii: ":")),
        rest.first == UInt8(ascii: ":") || rest.first == UInt8(ascii: " "),
        !rest.drop(while: { $0 == UInt8(ascii: " ") }).starts(with: ":=".utf8)
      else { continue }
      let text = String(decoding: name, as: UTF8.self)
      if lines[text] == nil { lines[text] = index + 1 }
    }
    return lines
  }
}

extension UInt8 {
  /// True for what a name in a justfile can have.
  fileprivate var isNamePart: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
