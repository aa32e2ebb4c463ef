import Digests
import Platform

/// What counts for the question whether an execution with one input can be left out, as far as the
/// definition says it.
struct UpToDateTerms: Sendable {
  /// What identifies the command and the input in the store.
  var key: [UInt8]
  /// What the cache has to know; nil if its results are not kept.
  var call: CachedCall?
  var definition: [StoredExecution.Part]
  /// What cannot be compared in the definition; nil if all can.
  var incomparable: String?
  /// The files that count as sources, by each definition that names some: that of the command, or those
  /// of the commands whose outputs it reads.
  var sources: [PlacedPatterns] = []
  /// True if the sources are the outputs of what the command needs.
  var areSourcesImplied = false
  var outputs: PlacedPatterns?
  var depfiles: Glob?
  var fingerprint: String?
  /// What precedes relative paths in depfiles: the folder where the command's processes run.
  var folder: String

  /// The paths of the files that count as sources: those that match, without outputs.
  func sourcePaths() throws(GlobError) -> [String] {
    let paths = try sources.paths()
    guard let outputs else { return paths }
    return paths.filter { !outputs.glob.matches($0) }
  }

  func path(ofDependency path: String) -> String {
    FilePath.direct(path.hasPrefix("/") ? path : FilePath.join(folder, path))
  }
}

/// A comparison of the files with what is kept of the last execution; made on any thread.
struct Inspection: Sendable {
  private(set) var changes: [UpToDateChange] = []
  /// What is wrong with the patterns of the sources, if the command is not up to date.
  private(set) var problemsWithSources: [String] = []
  private(set) var sources: [FileRecord] = []
  private var dependencies: [FileRecord] = []
  private(set) var outputs: [FileRecord] = []
  /// The outputs that executions of the command have made, and that are as the last one has left them.
  private(set) var made: [FileRecord] = []
  /// Those that were there after the last execution, and that none is known to have made.
  private(set) var foreign: [FileRecord] = []
  /// The time before the files were looked at, in nanoseconds since 1970.
  let start = Int(WallClock.nanoseconds)

  /// - Parameters:
  ///   - kept: what is kept of the last execution, and the sources that there are.
  ///   - state: what the store holds of it.
  init(
    _ terms: UpToDateTerms, _ kept: KeptAndFound, _ state: StoredState?,
    isCancelled: @Sendable () -> Bool
  ) {
    let stored = kept.stored
    // Of sources that cannot be read it is not known whether they match.
    var areSourcesRead = false
    defer {
      if areSourcesRead, !changes.isEmpty, !terms.areSourcesImplied {
        problemsWithSources = terms.sources.flatMap {
          $0.problems(with: sources.lazy.map(\.path), besides: terms.outputs)
        }
      }
    }
    do {
      if let reason = terms.incomparable {
        changes.append(.incomparable(reason))
      } else if let stored {
        compare(terms, with: stored)
      } else {
        changes.append(state?.reason.map { .unkept($0) } ?? .never)
      }
      let missing = terms.sources.flatMap(\.missingPaths)
      changes += missing.map { .missingSource($0) }
      sources = try [FileRecord](
        of: kept.sources.get(), known: stored?.sources ?? [], isCancelled: isCancelled)
      areSourcesRead = true
      if sources.isEmpty, missing.isEmpty, terms.sources.contains(where: { !$0.glob.isOptional }) {
        changes.append(terms.areSourcesImplied ? .noOutputsOfNeeds : .noSources)
      }
      if isCancelled() { return }
      if let stored {
        note(stored.sources, sources, as: .source)
        dependencies = try [FileRecord](
          of: stored.dependencies.map(\.path), known: stored.dependencies, isCancelled: isCancelled)
        note(stored.dependencies, dependencies, as: .dependency)
      } else if kept.outputs.isEmpty {
        return
      }
      // Without an execution to compare with, it only counts who has made them.
      outputs = try [FileRecord](
        of: terms.outputs?.glob.paths() ?? [], known: kept.outputs,
        reading: stored == nil ? .known : .all, isCancelled: isCancelled)
      made = Self.made(kept.outputs, outputs)
      foreign = kept.outputs.filter { !$0.isMade }
      guard let stored else { return }
      note(stored.outputs, outputs, as: .output)
      // A folder without files has no record.
      for path in terms.outputs?.missingPaths ?? [] {
        let change = UpToDateChange.file(path, .output, .removed)
        if !changes.contains(change) { changes.append(change) }
      }
    } catch {
      changes.append(.problem("\(error)"))
    }
  }

  private mutating func compare(_ terms: UpToDateTerms, with stored: StoredExecution) {
    if terms.fingerprint?.exactBytes != stored.fingerprint?.exactBytes {
      changes.append(.fingerprint(stored.fingerprint, terms.fingerprint))
    }
    guard terms.definition != stored.definition else { return }
    for part in terms.definition
    where !stored.definition.contains(part) {
      let isNew = !stored.definition.contains { $0.name == part.name }
      changes.append(.definition(part.name, isNew ? .added : .changed))
    }
    for part in stored.definition where !terms.definition.contains(where: { $0.name == part.name })
    {
      changes.append(.definition(part.name, .removed))
    }
    if changes.isEmpty { changes.append(.definition("the order of its parts", .changed)) }
  }

  /// Notes the differences between two lists in the order of their paths.
  private mutating func note(
    _ before: [FileRecord], _ after: [FileRecord], as role: UpToDateChange.Role
  ) {
    var (old, new) = (0, 0)
    while old < before.count || new < after.count {
      if old < before.count, new < after.count, before[old].path.hasBytes(of: after[new].path) {
        if !after[new].hasContent(of: before[old]) {
          let isGone = after[new].kind == .missing
          changes.append(.file(after[new].path, role, isGone ? .removed : .changed))
        }
        old += 1
        new += 1
      } else if new < after.count,
        old == before.count || after[new].path.isBefore(before[old].path)
      {
        changes.append(.file(after[new].path, role, .added))
        new += 1
      } else {
        changes.append(.file(before[old].path, role, .removed))
        old += 1
      }
    }
  }

  /// True if all that counts is known, so that an execution could have the same result as another.
  var isComparable: Bool {
    !changes.contains { change in
      switch change {
      case .missingSource, .noSources, .noOutputsOfNeeds, .incomparable, .problem: true
      default: sources.contains { $0.kind == .special }
      }
    }
  }

  /// The differences from what counted for another execution.
  func differences(_ terms: UpToDateTerms, _ other: StoredExecution) -> [UpToDateChange] {
    var check = self
    check.changes = []
    check.compare(terms, with: other)
    check.note(other.sources, sources, as: .source)
    return check.changes
  }

  private static func made(_ left: [FileRecord], _ found: [FileRecord]) -> [FileRecord] {
    var made: [FileRecord] = []
    var rest = found[...]
    for output in left where output.isMade {
      while let first = rest.first, first.path.isBefore(output.path) { rest.removeFirst() }
      if let first = rest.first, first.path.hasBytes(of: output.path),
        first.isUnchanged(since: output)
      {
        made.append(first)
      }
    }
    return made
  }

  /// The record of the outputs that are known: of those that are as the last execution has left them, who
  /// has made them.
  var knownOutputs: StoredExecution {
    StoredExecution(made: (made + foreign).sorted { $0.path.isBefore($1.path) })
  }

  /// What to keep after a result was restored.
  ///
  /// - Parameters:
  ///   - dependencies: what the depfile of the restored execution named.
  ///   - restored: what is known of the restored files, in the order of their paths.
  /// - Throws: `Unkept` if something is not as it must be.
  func conclusion(
    afterRestoring dependencies: [String], _ restored: [FileRecord], _ terms: UpToDateTerms,
    _ call: CachedCall, isCancelled: @Sendable () -> Bool
  ) throws(Unkept) -> StoredExecution {
    do {
      var stored = StoredExecution()
      (stored.definition, stored.fingerprint) = (terms.definition, terms.fingerprint)
      stored.sources = sources
      stored.dependencies = try [FileRecord](
        of: dependencies.sorted { $0.isBefore($1) }, known: [], isCancelled: isCancelled)
      let outputs = try terms.outputs?.glob.paths() ?? []
      if let problem = terms.outputs?.lack(in: outputs) {
        throw Unkept(reason: problem, weight: .warning)
      }
      stored.outputs = try [FileRecord](
        of: outputs, seen: restored.named(as: outputs, in: call.root), isCancelled: isCancelled)
      return stored
    } catch let unkept as Unkept {
      throw unkept
    } catch {
      throw Unkept(reason: "\(error)", weight: .warning)
    }
  }

  /// What to keep in place of an execution, because the system describes files in another way than
  /// before or they have come of age; nil if nothing has changed.
  func refreshed(_ stored: StoredExecution) -> StoredExecution? {
    guard
      !sources.isSame(as: stored.sources) || !dependencies.isSame(as: stored.dependencies)
        || !outputs.isSame(as: stored.outputs)
    else { return nil }
    var refreshed = stored
    (refreshed.sources, refreshed.dependencies, refreshed.outputs) = (
      sources, dependencies, outputs
    )
    return refreshed
  }

  /// When the youngest source was modified, in nanoseconds since 1970.
  var newestSource: Int { sources.map(\.modificationTime).max() ?? .min }

  /// What to keep of an execution that has succeeded and began after this inspection.
  ///
  /// - Parameter gather: reads outputs for another purpose, and returns their records in the order of
  ///   their paths, so that nobody reads them again.
  /// - Throws: `Unkept` if it must not be left out the next time, or has not done what it was to do.
  func conclusion(
    _ terms: UpToDateTerms, gathering gather: () -> [FileRecord],
    isCancelled: @Sendable () -> Bool
  ) throws(Unkept) -> StoredExecution {
    if let reason = terms.incomparable { throw Unkept(reason: reason, weight: .warning) }
    do {
      var stored = StoredExecution()
      (stored.definition, stored.fingerprint) = (terms.definition, terms.fingerprint)
      stored.sources = try [FileRecord](
        of: terms.sourcePaths(), known: sources, isCancelled: isCancelled)
      var check = self
      check.changes = []
      check.note(sources, stored.sources, as: .source)
      if let change = check.changes.first {
        throw Unkept(reason: "\(change) while it was executed", weight: .note)
      }
      stored.dependencies = try dependencies(terms, besides: stored.sources, isCancelled)
      let outputs = try terms.outputs?.glob.paths() ?? []
      if let problem = terms.outputs?.lack(in: outputs) {
        throw Unkept(reason: problem, weight: .failure)
      }
      stored.outputs = try [FileRecord](
        of: outputs, known: self.outputs, current: gather(), isCancelled: isCancelled)
      return stored
    } catch let unkept as Unkept {
      throw unkept
    } catch {
      throw Unkept(reason: "\(error)", weight: .warning)
    }
  }

  private func dependencies(
    _ terms: UpToDateTerms, besides sources: [FileRecord], _ isCancelled: @Sendable () -> Bool
  ) throws -> [FileRecord] {
    guard let depfiles = terms.depfiles else { return [] }
    let paths = try depfiles.paths()
    if let missing = depfiles.plainPaths.first(where: { !$0.exists }) ?? (paths.isEmpty ? "" : nil)
    {
      let name = missing.isEmpty ? "" : " '\(missing)'"
      throw Unkept(reason: "it has not made its depfile\(name)", weight: .warning)
    }
    let known = Set(sources.map { $0.path.exactBytes })
    // The depfile that names each.
    var found: [[UInt8]: String] = [:]
    for path in paths {
      guard let content = fileContent(path) else {
        throw FileDigestError(path: path, code: errno)
      }
      do {
        for name in try Depfile(content).prerequisites {
          let name = terms.path(ofDependency: name)
          if terms.outputs?.glob.matches(name) != true { found[name.exactBytes] = path }
        }
      } catch let problem {
        throw Unkept(reason: "\(path):\(problem.line): this is not a depfile", weight: .warning)
      }
    }
    let ordered = found.keys.filter { !known.contains($0) }
      .sorted { $0.lexicographicallyPrecedes($1) }
      .map { String(exactly: $0) }
    let records = try [FileRecord](of: ordered, known: dependencies, isCancelled: isCancelled)
    if let missing = records.first(where: { $0.kind == .missing }) {
      let depfile = found[missing.path.exactBytes] ?? ""
      throw Unkept(
        reason: "its depfile '\(depfile)' names '\(missing.path)', which does not exist; if it was "
          + "written in another folder, name that one in 'cwd' instead of a 'cd'", weight: .warning)
    }
    if let young = records.first(where: { $0.changed >= start }) {
      throw Unkept(
        reason: "'\(young.path)', which its depfile names, has changed while it was executed; "
          + "what the command makes itself belongs to its outputs", weight: .note)
    }
    return records
  }
}

/// Why nothing can be kept of an execution.
struct Unkept: Error {
  enum Weight {
    /// It may be otherwise the next time.
    case note
    /// It is the fault of the definition, so that it will be so again.
    case warning
    /// The execution has not made what it was to make.
    case failure
  }

  /// The reason, as a sentence about the command.
  var reason: String
  var weight: Weight
}
