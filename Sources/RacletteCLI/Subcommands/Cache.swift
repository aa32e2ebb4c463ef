import Platform
import RunnerCore
import Scripting

extension Subcommand {
  static let cache: Subcommand = Subcommand(
    name: "cache", underMake: .answered, arguments: "",
    summary: "Show where the results of cached commands are stored and how much space they use",
    options: [.json], passesArguments: false
  ) { line in
    try line.refuseWords(beyond: 0, usage: Subcommand.cache.usage)
    let cache = try ResultCache.present()
    let (measure, usage) = (cache.measure(), cache.usage)
    if line.has(.json) {
      let fields: [(String, JSONValue)] = [
        ("folder", .string(cache.folder)), ("entries", .integer(Int64(measure.results))),
        ("bytes", .integer(Int64(measure.bytes))), ("bound", .integer(Int64(cache.bound))),
        ("hits", .integer(Int64(usage.hits))), ("misses", .integer(Int64(usage.misses))),
        ("saved", .number(usage.saved)),
      ]
      try Terminal.output(json: JSONValue.object(fields).text)
      return ExitStatus.success
    }
    let size = "\(measure.size) of at most \(CacheMeasure.size(cache.bound))"
    var lines = ["\(cache.folder.visibleInLine)", "\(measure.count), \(size)"]
    if usage.hits + usage.misses > 0 {
      let saved = Duration.seconds(usage.saved).shortText
      lines.append(
        "\(usage.hits) restored in place of \(saved), \(usage.misses) not found")
    }
    try Terminal.output(lines.map { $0 + "\n" }.joined())
    return ExitStatus.success
  }

  /// Removes results from the user's cache.
  static func pruneCache(_ line: CommandLine) throws -> Int32 {
    for option in [Option.keepBatches, .serverJournal] where line.has(option.name) {
      throw UsageError.input("--cache and --\(option.long) exclude each other")
    }
    let cache = try ResultCache.present()
    let removed: CacheMeasure
    do throws(CacheProblem) {
      let age = line.duration(.olderThan)
      removed = try cache.remove(downTo: age == nil ? 0 : .max, unusedFor: age).removed
    } catch {
      Terminal.error("raclette: error: \(error)\n")
      return ExitStatus.failure
    }
    Terminal.error("raclette: removed \(removed.count) (\(removed.size)) from the cache\n")
    return ExitStatus.success
  }
}

extension Option {
  static let cache = Option(
    name: .cache, long: "cache", help: "prune the user's cache of results instead of a journal")
}

extension ResultCache {
  /// The cache of the user.
  ///
  /// - Throws: `UsageError` if there is none.
  fileprivate static func present() throws(UsageError) -> ResultCache {
    if let cache = try ofUser() { return cache }
    guard userFolder != nil else {
      throw .input("there is no cache: neither XDG_CACHE_HOME nor HOME is set")
    }
    throw .input("there is no cache: \(variable) is 0")
  }
}

extension CacheMeasure {
  var count: String { results == 1 ? "1 result" : "\(results) results" }
  var size: String { Self.size(bytes) }

  static func size(_ bytes: Int) -> String { ResourceAmount.size(Int64(bytes)).text }
}
