import EventLoop
import Platform

/// The tasks of a Taskfile, as `task --list-all --json` has them, which evaluates no variable of a
/// shell. The files have what that leaves out: what a task requires and whether it asks.
enum Taskfile {
  /// The names of its files in the order in which task looks for them.
  static let names = [
    "Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml",
    "taskfile.dist.yml", "Taskfile.dist.yaml", "taskfile.dist.yaml",
  ]

  /// The program: some systems name it `go-task`, as Taskwarrior is `task` there.
  static func program() -> String {
    let isThere =
      ProgramLookup.path(of: Array("go-task".utf8), environment: nil, directory: nil) != nil
    return isThere ? "go-task" : "task"
  }

  static func recipes(
    _ file: AdoptedFile, _ inputs: inout AdoptionInputs
  ) throws(AdoptionError) -> [AdoptedRecipe] {
    let content = try file.content()
    var documents = TaskfileDocuments(file)
    // What task cannot read either is told in its words.
    let problem: AdoptionError?
    do throws(AdoptionError) {
      try documents.read(&inputs)
      problem = nil
    } catch {
      problem = error
    }
    let program = program()
    let list = try list(of: file, by: program, input: documents.input(content))
    if let problem { throw problem }
    let words =
      file.isFound(among: names) ? [program] : [program, "--taskfile", file.name]
    return (list["tasks"]?.elements ?? []).compactMap { task in
      // `name` is the label, which task does not take for a name.
      guard let name = task["task"]?.string ?? task["name"]?.string else { return nil }
      return documents.recipe(of: task, named: name, words: words + [name])
    }
  }

  /// The name of standard input in answers of task.
  fileprivate static let inputName = "__stdin__"

  /// What task lists.
  ///
  /// - Parameter input: the text to list instead of the file.
  private static func list(
    of file: AdoptedFile, by program: String, input: [UInt8]?
  ) throws(AdoptionError) -> JSONValue {
    let words = ["--list-all", "--json", "--no-status", "--sort", "none"]
    guard let input else {
      var answer = try ToolAnswer(of: [program, "--taskfile", file.name] + words, for: file)
      return try answer.document()
    }
    do throws(AdoptionError) {
      var answer = try ToolAnswer(
        of: [program, "--taskfile", "-"] + words, for: file, input: input)
      return try answer.document()
    } catch {
      guard case .failedTool(_, _, let errors) = error else { throw error }
      throw .failedTool(
        program, file: file.title, errors: errors.replacing(inputName, with: file.name))
    }
  }
}

/// The file and those that it includes.
private struct TaskfileDocuments {
  private let file: AdoptedFile
  /// By their full paths, which the list names.
  private var documents: [String: YAMLNode] = [:]
  /// False if task reads more files than these.
  private var isComplete = true

  init(_ file: AdoptedFile) { self.file = file }

  mutating func read(_ inputs: inout AdoptionInputs) throws(AdoptionError) {
    // Variables choose how task reads its files.
    for name in ["TASK_X_REMOTE_TASKFILES", "TASK_X_ENV_PRECEDENCE"] {
      inputs.value(ofVariable: name)
    }
    try read(file, &inputs)
  }

  private mutating func read(
    _ file: AdoptedFile, _ inputs: inout AdoptionInputs
  ) throws(AdoptionError) {
    guard let content = inputs.content(of: file.path), let path = resolvedPath(file.path),
      documents[path] == nil
    else { return }
    guard documents.count < 200 else { return isComplete = false }
    let document = try file.yaml(content)
    documents[path] = document
    // A text that task computes may change without any file.
    let texts = (document["tasks"]?.entries ?? []).flatMap { task in
      ["desc", "summary"].compactMap { task.value[$0]?.text }
    }
    if texts.contains(where: { $0.contains("{{") }) { inputs.addUnknown() }
    for (_, _, value) in document["includes"]?.entries ?? [] {
      guard let target = value.text ?? value["taskfile"]?.text else { continue }
      guard !target.contains("{{"), !target.contains("://"), !target.contains("$"),
        !target.hasPrefix("~"), !target.hasPrefix("git@")
      else {
        inputs.addUnknown()
        isComplete = false
        continue
      }
      try include(target, from: file, &inputs)
    }
  }

  private mutating func include(
    _ target: String, from file: AdoptedFile, _ inputs: inout AdoptionInputs
  ) throws(AdoptionError) {
    let path = FilePath.join(file.folder, target)
    let paths = FilePath.isFolder(path) ? Taskfile.names.map { FilePath.join(path, $0) } : [path]
    for path in paths {
      let included = AdoptedFile(
        path: path, title: FilePath.join(FilePath.parent(of: file.title), target))
      guard access(path, F_OK) == 0 else {
        _ = inputs.content(of: path)
        continue
      }
      return try read(included, &inputs)
    }
  }

  /// The text that task lists instead of the file; nil if that is the file itself.
  ///
  /// With `dotenv`, task computes all variables of its files before it lists anything, and executes
  /// their `sh`. The list needs none of them, so it is that of the file without `dotenv`.
  func input(_ content: [UInt8]) throws(AdoptionError) -> [UInt8]? {
    guard let main = resolvedPath(file.path).flatMap({ documents[$0] }),
      let key = main.entries.first(where: { $0.name == "dotenv" }),
      !isComplete || documents.values.contains(where: \.executesVariables)
    else { return nil }
    let end = main.entries.map(\.line).filter { $0 > key.line }.min() ?? .max
    var lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard main.entries.allSatisfy({ $0.name == "dotenv" || $0.line != key.line }),
      key.line <= lines.count, lines[key.line - 1].starts(with: "dotenv".utf8)
    else { throw .computedList(file.title, line: key.line) }
    for index in key.line - 1..<min(end - 1, lines.count) { lines[index] = [] }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }

  /// The number of tasks that ask something before they begin.
  private var promptCount: Int {
    documents.values.reduce(0) { count, document in
      count + (document["tasks"]?.entries.count { $0.value["prompt"] != nil } ?? 0)
    }
  }

  func recipe(of task: JSONValue, named name: String, words: [String]) -> AdoptedRecipe {
    var recipe = AdoptedRecipe(name: name, words: words)
    recipe.summary = task["desc"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    recipe.details = task["summary"]?.string.flatMap { $0.isEmpty ? nil : Self.trimmed($0) }
    recipe.aliases = (task["aliases"]?.elements ?? []).compactMap(\.string)
    (recipe.separator, recipe.takesVariables) = ("--", true)
    let rest = AdoptedParameter(
      name: "args", form: .rest, help: "variables NAME=value, then the words of CLI_ARGS")
    recipe.parameters = [rest]
    let location = task["location"]
    guard case .integer(let line) = location?["line"],
      let place = location?["taskfile"]?.string, let main = resolvedPath(file.path)
    else { return recipe }
    recipe.line = Int(line)
    let path = place == Taskfile.inputName ? main : place
    let isMain = path == main
    if !isMain {
      let folder = (resolvedPath(file.folder) ?? file.folder) + "/"
      recipe.file = path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    }
    let document = documents[path] ?? documents[resolvedPath(path) ?? path]
    guard let document,
      let definition = document["tasks"]?.entries.first(where: { $0.line == Int(line) })?.value
    else { return recipe }
    if definition["interactive"]?.isTrue == true { recipe.isInteractive = true }
    if let prompt = definition["prompt"] {
      // task answers all questions or none, also those of files that were not read.
      if let question = prompt.text, !question.contains("{{"), promptCount == 1, isComplete {
        recipe.question = question
        recipe.words.insert("--yes", at: 1)
      } else {
        recipe.isInteractive = true
      }
    }
    let set = Set(
      ["vars", "env"].flatMap { part in
        [document, definition].flatMap { $0[part]?.entries.map(\.name) ?? [] }
      })
    let required = (definition["requires"]?["vars"]?.elements ?? []).compactMap {
      Self.parameter($0, isSet: set, isComplete: isMain && document["dotenv"] == nil)
    }
    recipe.parameters = required + [rest]
    return recipe
  }

  /// A variable that a task requires: its name, or a map with the values that it may have.
  private static func parameter(
    _ node: YAMLNode, isSet: Set<String>, isComplete: Bool
  ) -> AdoptedParameter? {
    guard let name = node.text ?? node["name"]?.text else { return nil }
    var parameter = AdoptedParameter(name: name, form: .variable)
    // It may have a value from an environment file or from what includes it: task finds out.
    parameter.isRequired =
      isComplete && !isSet.contains(name) && ProcessEnvironment.value(of: name) == nil
    parameter.choices = (node["enum"]?.elements ?? []).compactMap(\.text)
    return parameter
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last?.isWhitespace == true { text = text.dropLast() }
    return String(text)
  }
}

extension YAMLNode {
  /// True for a Taskfile with variables that a shell computes.
  fileprivate var executesVariables: Bool {
    ["vars", "env"].contains { part in
      self[part]?.entries.contains { $0.value["sh"] != nil } ?? false
    }
  }
}
