import Platform

/// The services of a compose file, which is read and not evaluated, as services. Docker starts each
/// without what it depends on, which is its needs.
struct ComposeFile {
  /// The names of its files in the order in which docker looks for them.
  static let names = [
    "compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml",
  ]

  private let file: AdoptedFile

  init(_ file: AdoptedFile) { self.file = file }

  /// The words that name the file, unless docker finds it by itself.
  private var program: [String] {
    file.isFound(among: Self.names)
      ? ["docker", "compose"] : ["docker", "compose", "-f", file.name]
  }

  func recipes() throws(AdoptionError) -> [AdoptedRecipe] {
    let document = try file.yaml(try file.content())
    var services = (document["services"]?.entries ?? []).map(ComposeService.init)
    for other in try overridden() {
      if let known = services.firstIndex(where: { $0.name == other.name }) {
        services[known].override(by: other)
      } else {
        services.append(other)
      }
    }
    let known = Set(services.map(\.name))
    let needs = services.map { $0.needs.filter { known.contains($0.name) } }
    let awaited = Set(needs.joined().filter { $0.condition == .healthy }.map(\.name))
    let ending = Set(needs.joined().filter { $0.condition == .ended }.map(\.name))
    return zip(services, needs).map { service, needs in
      recipe(
        of: service, needs: needs.map(\.name), isAwaited: awaited.contains(service.name),
        ends: ending.contains(service.name))
    }
  }

  /// The services of the file that docker reads besides, if it finds both by itself.
  private func overridden() throws(AdoptionError) -> [ComposeService] {
    guard file.isFound(among: Self.names), let dot = file.name.cut(atLast: ".") else { return [] }
    for ending in ["yaml", "yml"] {
      let name = "\(dot.before).override.\(ending)"
      let other = AdoptedFile(
        path: FilePath.join(file.folder, name),
        title: FilePath.join(FilePath.parent(of: file.title), name))
      guard access(other.path, F_OK) == 0 else { continue }
      return (try other.yaml(try other.content())["services"]?.entries ?? []).map { entry in
        var service = ComposeService(entry)
        service.file = name
        return service
      }
    }
    return []
  }

  private func recipe(
    of service: ComposeService, needs: [String], isAwaited: Bool, ends: Bool
  ) -> AdoptedRecipe {
    var words = program + ["up", "--no-deps", "--no-log-prefix"]
    // It ends all at the first exit, so that docker could not restart it.
    if !service.restarts { words += ["--exit-code-from", service.name] }
    var recipe = AdoptedRecipe(name: service.name, words: words + [service.name])
    recipe.summary = service.image ?? service.build.map { "build of \($0)" }
    recipe.needs = needs
    recipe.line = service.line
    recipe.file = service.file
    guard !ends else { return recipe }
    recipe.isService = true
    let query = (program + ["ps"]).map(\.quotedForShell).joined(separator: " ")
    recipe.readyLine =
      service.hasHealthCheck || isAwaited
      ? "[ \"$(\(query) --format '{{.Health}}' \(service.name))\" = healthy ]"
      : "[ -n \"$(\(query) --quiet --status running \(service.name))\" ]"
    return recipe
  }
}

/// One service of such a file, as far as it counts.
private struct ComposeService {
  enum Condition { case started, healthy, ended }

  let name: String
  let line: Int
  var file: String?
  var image: String?
  var build: String?
  var restarts: Bool
  var hasHealthCheck: Bool
  var needs: [(name: String, condition: Condition)]
  private let definition: YAMLNode

  init(_ entry: (name: String, line: Int, value: YAMLNode)) {
    (name, line, definition) = entry
    image = definition["image"]?.text
    build = definition["build"].flatMap { $0.text ?? $0["context"]?.text }
    restarts = definition["restart"].map { $0.text != "no" && !$0.isFalse } ?? false
    let check = definition["healthcheck"]
    hasHealthCheck =
      check != nil && check?["disable"]?.isTrue != true && check?["test"]?.texts.first != "NONE"
    let others = definition["depends_on"]
    needs = others?.elements.compactMap(\.text).map { ($0, .started) } ?? []
    for (name, _, value) in others?.entries ?? [] {
      switch value["condition"]?.text {
      case "service_healthy": needs.append((name, .healthy))
      case "service_completed_successfully": needs.append((name, .ended))
      default: needs.append((name, .started))
      }
    }
  }

  /// Takes over what another file says of the same service.
  mutating func override(by other: ComposeService) {
    image = other.image ?? image
    build = other.build ?? build
    if other.definition["restart"] != nil { restarts = other.restarts }
    if other.definition["healthcheck"] != nil { hasHealthCheck = other.hasHealthCheck }
    needs = needs.filter { own in !other.needs.contains { $0.name == own.name } } + other.needs
  }
}
