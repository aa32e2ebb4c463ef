import Platform
import Scripting

/// What `--watch` watches: the paths and patterns of the option, else those that the commands name.
/// Those of the option are relative to the user's folder, and are resolved before the runner changes
/// to the folder of the command file.
package struct WatchedPaths {
  /// True if the option was given.
  package let isWanted: Bool
  /// The absolute paths and patterns of the option.
  private let given: [String]

  package init(_ line: CommandLine) throws(UsageError) {
    isWanted = line.has(.watch)
    var given: [String] = []
    let folder = line[.directory]
    for text in line.all(.watch).flatMap(WatchPatterns.split) {
      given.append(try Self.absolute(text, in: folder))
    }
    self.given = given
  }

  /// Returns the lists of patterns for a plan, relative to the current folder.
  package func patterns(for plan: Plan) -> [[String]] {
    // What the commands make must not start them again. Lists that leave out some of these files cannot
    // be turned round: a watch looks at each change itself.
    let outputs = plan.outputPatterns.filter { !$0.hasExcludes }.joined().map { "!\($0)" }
    if !given.isEmpty { return [fromHere + outputs] }
    let steps = plan.steps.map(\.command)
    let executed = steps.filter { !$0.isService }
    let isAnyNamed = (executed.isEmpty ? steps : executed).contains { !$0.watchPatterns.isEmpty }
    var lists = isAnyNamed ? [] : [["."]]
    // What a service watches starts it again, and says nothing about the files of its users.
    let services = (steps + plan.needsOfServices.map(\.command)).filter(\.isService)
    for list in (executed + services).flatMap(\.watchLists) where !lists.contains(list) {
      lists.append(list)
    }
    return lists.map { $0 + outputs }
  }

  private var fromHere: [String] {
    guard let here = resolvedPath(".").map(WatchPatterns.escaped) else { return given }
    return given.map { path in
      let mark = path.hasPrefix("!") ? "!" : ""
      let bare = path.dropFirst(mark.count)
      if bare == here { return mark + "." }
      return bare.hasPrefix(here + "/") ? mark + bare.dropFirst(here.count + 1) : path
    }
  }

  /// Returns a path, or the first folder that is missing on the way to it: it has to come first.
  static func nearest(_ path: String) -> String {
    var path = path
    while case let folder = CommandFile.split(path).directory, access(folder, F_OK) != 0,
      folder != "/"
    {
      path = folder
    }
    return path
  }

  /// Returns a path or pattern with its folders before the first wildcard resolved.
  private static func absolute(_ text: String, in folder: String?) throws(UsageError) -> String {
    let mark = text.hasPrefix("!") ? "!" : ""
    let bare = String(text.dropFirst(mark.count))
    let base = bare.hasPrefix("/") ? "" : folder.map { "\($0)/" } ?? ""
    if let real = place(base + bare) { return mark + WatchPatterns.escaped(real) }
    do { _ = try Glob([bare]) } catch { throw .input("--watch: \(error)") }
    var parts = bare.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    var rest: [String] = []
    while parts.contains(where: WatchPatterns.isPattern), let last = parts.popLast() {
      rest.insert(last, at: 0)
    }
    let fixed = (bare.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    let path = base + fixed
    guard !rest.isEmpty, let real = resolvedPath(path.isEmpty ? "." : path) else {
      // What is left out may be missing.
      guard mark.isEmpty else { return text }
      throw .unwatchable(text)
    }
    return mark + WatchPatterns.pattern(rest.joined(separator: "/"), in: real)
  }

  /// The absolute path of a file or folder, whose links stay: a watch follows them. Nil if there is
  /// nothing.
  private static func place(_ path: String) -> String? {
    guard access(path, F_OK) == 0 else { return nil }
    let names = path.split(separator: "/").filter { $0 != "." }
    // Behind a link, `..` leads elsewhere than its spelling says.
    if names.isEmpty || names.contains("..") { return resolvedPath(path) }
    let start = path.hasPrefix("/") ? "" : resolvedPath(".") ?? ""
    return (start == "/" ? "" : start) + "/" + names.joined(separator: "/")
  }
}

extension ScriptCommand {
  /// The lists of patterns of the files whose changes begin a round: those that it watches, and its files
  /// of variables, which git usually ignores, or a missing folder of theirs.
  var watchLists: [[String]] {
    let variables = environmentFiles.map { WatchPatterns.escaped(WatchedPaths.nearest($0)) }
    return [watchPatterns, variables.filter { !watchPatterns.contains($0) }].filter { !$0.isEmpty }
  }
}

extension Plan {
  /// The lists of patterns of the files that its commands make, and the needs of its services.
  var outputPatterns: [[String]] {
    (steps.map(\.command) + needsOfServices.map(\.command)).flatMap(\.outputPatterns)
  }
}

extension [String] {
  /// True if one of the patterns leaves out files that others match.
  var hasExcludes: Bool { contains { $0.hasPrefix("!") } }
}
