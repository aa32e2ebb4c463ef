import EventLoop
import Platform

/// The recipes of a justfile, as `just --dump` has them. That evaluates nothing.
struct Justfile {
  private let file: AdoptedFile

  init(_ file: AdoptedFile) { self.file = file }

  /// The words that name the file, unless just finds it by itself.
  private var program: [String] {
    ["justfile", ".justfile"].contains(file.name.lowercased())
      ? ["just"] : ["just", "--justfile", file.name]
  }

  func recipes() throws(AdoptionError) -> [AdoptedRecipe] {
    let text = try file.content()
    let dump: CapturedRun
    do {
      dump = try CapturedRun(
        ["just", "--justfile", file.name, "--dump", "--dump-format", "json"], in: file.folder,
        within: 20)
    } catch {
      switch error {
      case .start(.programNotFound): throw .missingTool("just", file: file.title)
      case .start(let error): throw .failedTool("just", file: file.title, errors: "\(error)")
      case .timeout: throw .failedTool("just", file: file.title, errors: "no answer within 20 s")
      }
    }
    guard dump.status == 0,
      let document = dump.output.withUnsafeBytes({ try? JSONValue(parsing: $0) })
    else {
      let errors = String(decoding: dump.errors, as: UTF8.self)
      throw .failedTool("just", file: file.title, errors: Self.message(errors))
    }
    let lines = Self.lines(of: String(decoding: text, as: UTF8.self))
    // The dump is sorted by names.
    return recipes(of: document, lines).enumerated().sorted {
      ($0.element.line ?? .max, $0.offset) < ($1.element.line ?? .max, $1.offset)
    }.map(\.element)
  }

  private static func message(_ errors: String) -> String {
    var text = errors[...]
    if text.hasPrefix("error: ") { text = text.dropFirst(7) }
    while text.last?.isWhitespace == true { text = text.dropLast() }
    return String(text)
  }

  private func recipes(of module: JSONValue, _ lines: [String: Int]) -> [AdoptedRecipe] {
    var aliases: [String: [String]] = [:]
    let prefix = module["module_path"]?.text(or: "") ?? ""
    for (name, alias) in module["aliases"]?.fields ?? [] {
      guard let target = alias["target"]?.string else { continue }
      aliases[target, default: []].append(prefix.isEmpty ? name : "\(prefix)::\(name)")
    }
    var recipes = (module["recipes"]?.fields ?? []).map { name, recipe in
      self.recipe(
        recipe, named: name, at: prefix, aliases[name] ?? [],
        line: prefix.isEmpty ? lines[name] : nil)
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
      if attribute.string == "confirm" || attribute["confirm"] != nil {
        adopted.isInteractive = true
      }
    }
    let parameters = (recipe["parameters"]?.elements ?? []).map(Self.parameter)
    // Words go to the parameters that just takes by place.
    adopted.parameters =
      parameters.filter { $0.form == .word }
      + parameters.filter { $0.form != .word && $0.form != .rest }
      + parameters.filter { $0.form == .rest }
    return adopted
  }

  private static func parameter(_ parameter: JSONValue) -> AdoptedParameter {
    var adopted = AdoptedParameter(name: parameter["name"]?.string ?? "")
    let kind = parameter["kind"]?.string
    let value = parameter["default"]
    let isAbsent = value == nil || value?.isNull == true
    adopted.isRequired = isAbsent && kind != "star"
    adopted.defaultText = value?.string
    adopted.help = parameter["help"]?.string
    if !isAbsent, adopted.defaultText == nil {
      let note = "default: computed by just"
      adopted.help = adopted.help.map { "\($0) (\(note))" } ?? note
    }
    let long = parameter["long"]?.string
    let option = long.map { "--\($0)" } ?? parameter["short"]?.string.map { "-\($0)" }
    if let option {
      let isFlag = parameter["value"]?.string != nil || parameter["flag"]?.isTrue == true
      adopted.form = isFlag ? .flag(option) : .option(option)
      if let long { adopted.name = long }
      if isFlag {
        (adopted.isRequired, adopted.defaultText) = (false, nil)
      }
    } else if kind == "star" || kind == "plus" {
      adopted.form = .rest
    }
    return adopted
  }

  /// The lines that define recipes, by name.
  private static func lines(of text: String) -> [String: Int] {
    var lines: [String: Int] = [:]
    for (index, line) in text.split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline
    ).enumerated() {
      let bare = line.first == "@" ? line.dropFirst() : line
      let name = bare.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
      let rest = bare.dropFirst(name.count)
      guard !name.isEmpty, rest.contains(":"), rest.first == ":" || rest.first == " ",
        !rest.hasPrefix(":="), !rest.drop(while: { $0 == " " }).hasPrefix(":=")
      else { continue }
      if lines[String(name)] == nil { lines[String(name)] = index + 1 }
    }
    return lines
  }
}
