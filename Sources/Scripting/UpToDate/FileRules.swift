import LuaRuntime
import Platform
import Reactive

/// What a definition says of the files of one execution: which are its sources, and which its outputs.
/// Paths are relative to the program's folder.
package struct FileRules: Sendable {
  private let sources: [PlacedPatterns]
  /// True if the sources are the outputs of what the command needs: not any more once it names one.
  private let areSourcesImplied: Bool
  private let outputs: Glob?
  private let depfiles: Glob?
  /// The sources that there are.
  private let found: Set<String>
  /// The outputs that there are, relative to the program's folder; depfiles are not among them.
  package let outputFiles: [String]
  /// What the depfiles name.
  private let dependencies: Set<String>

  init(_ terms: UpToDateTerms?) throws {
    sources = terms?.sources ?? []
    areSourcesImplied = terms?.areSourcesImplied == true
    outputs = terms?.outputs?.glob
    depfiles = terms?.depfiles
    found = Set(try terms?.sourcePaths() ?? [])
    outputFiles = try outputs?.paths() ?? []
    var dependencies: Set<String> = []
    for path in try depfiles?.paths() ?? [] {
      guard let terms, let content = fileContent(path), let depfile = try? Depfile(content) else {
        continue
      }
      dependencies.formUnion(depfile.prerequisites.map(terms.path(ofDependency:)))
    }
    self.dependencies = dependencies
  }

  /// The rules of a definition that says nothing of files.
  package static var none: FileRules { get throws { try FileRules(nil) } }

  /// True if a change of the file makes the execution due.
  package func isSource(_ path: String) -> Bool {
    found.contains(path) || dependencies.contains(path) || sources.matches(path)
  }

  /// True if the file is a source only as long as the definition names none.
  package func isImplied(_ path: String) -> Bool { areSourcesImplied && isSource(path) }

  /// True if the execution makes the file as the definition says, depfiles among them.
  package func isOutput(_ path: String) -> Bool {
    outputs?.matches(path) == true || depfiles?.matches(path) == true
  }

  /// True if the definition names the files in a folder by patterns, so that a new one may count.
  package func lists(_ folder: String) -> Bool {
    (sources.map(\.glob) + [outputs, depfiles].compactMap { $0 }).contains { $0.lists(folder) }
  }
}

extension ScriptCommand {
  /// Finds out what the definition says of the files of an execution with an input, by calling the
  /// functions of the definition, and calls `done` on the loop's thread.
  package func askFileRules(
    _ input: LuaValue, in subscription: CompoundDisposable,
    _ done: @escaping (Result<FileRules, any Error>) -> Void
  ) {
    guard let rules = description.upToDate else { return done(Result { try FileRules.none }) }
    withQuestion(rules, input, in: subscription, onFailure: { done(.failure($0)) }) { question in
      question.ask { terms in done(Result { try FileRules(try terms.get()) }) }
    }
  }

  /// Calls `body` with the question about the files of an execution with an input, once the input is
  /// complete, in the surroundings of such an execution.
  ///
  /// - Parameter onFailure: called in place of `body` if there are none.
  func withQuestion(
    _ rules: UpToDateRules, _ input: LuaValue, in subscription: CompoundDisposable,
    onFailure: @escaping (any Error) -> Void, _ body: @escaping (UpToDateQuestion) -> Void
  ) {
    complete(input, for: nil, in: subscription) { [self] completed in
      let purpose: Purpose
      let input: LuaValue
      do {
        input = try completed.get()
        purpose = Purpose(surroundings: Surroundings(try place(with: input, for: host.caller)))
      } catch { return onFailure(error) }
      host.within(purpose) { body(UpToDateQuestion(self, rules, input, in: subscription)) }
    }
  }

  /// The patterns of a field, `sources` or `outputs`, as they are written; nil if a function or
  /// `rac.lazy` computes them.
  package func writtenPatterns(of field: FileField) -> [String]? {
    let files = field == .sources ? description.upToDate?.sources : description.upToDate?.outputs
    switch files {
    case .patterns(let patterns): return patterns
    case nil, .some(.none): return []
    case .function, .lazy: return nil
    }
  }

  /// The pattern in the definition that matches only a path, or what a pattern matches in that folder.
  package func writtenPattern(of path: String, _ inner: String? = nil) -> String {
    let isAbsolute = path.hasPrefix("/")
    var here = isAbsolute ? [] : description.folder.split(separator: "/")[...]
    var there = path == "." ? [] : path.split(separator: "/")[...]
    let fewest = inner == nil ? 1 : 0
    while let first = here.first, first == there.first, there.count > fewest {
      here.removeFirst()
      there.removeFirst()
    }
    let way = here.map { _ in ".." } + there.map { WatchPatterns.escaped(String($0)) }
    return (isAbsolute ? "/" : "") + (way + [inner].compactMap { $0 }).joined(separator: "/")
  }

  /// The files of variables that it reads, whose variables count as parts of the definition.
  package var environmentFiles: [String] { description.environment.variableFiles.map(\.path) }
}

/// A field of a definition that names files.
package enum FileField: String, Sendable {
  case sources, outputs
}
