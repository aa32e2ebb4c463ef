import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// What an audited command has used that its definition does not name. Paths of the project are
/// relative to the folder of the command file.
struct AuditReport {
  private let command: ScriptCommand
  private(set) var read: [String] = []
  /// The sources that are none any more once the definition names one.
  private var implied: [String] = []
  private(set) var written: [String] = []
  /// What was there, is no output, and is removed.
  private(set) var deleted: [String] = []
  /// The files of which it has asked whether they are there, or how old they are.
  private(set) var examined: [String] = []
  /// The folders whose names were read, and in which a new file would not be a source.
  private(set) var listed: [String] = []
  /// The outputs that were there before, and that it has not made.
  private(set) var unmade: [String] = []
  /// What it has looked for, is not there, and would not be a source.
  private var absent = AbsentPaths([])
  /// True if what is absent has to be named, too.
  private let countsAbsent: Bool
  private var outsideRead: [String] = []
  private var outsideWritten: [String] = []
  private var ofGit: [String] = []
  private let programs: [String]
  private let addresses: [String]
  /// The folders whose files belong together in the definition.
  private let wholeFolders: WholeFolders
  private var sources = 0
  private var outputs = 0

  /// - Parameters:
  ///   - folder: the project: that of the command file, without symbolic links.
  ///   - rules: what the definition says of files, after the execution.
  ///   - countsAbsent: true if the definition has to name what is not there, too.
  init(
    _ command: ScriptCommand, _ findings: AuditFindings, _ rules: FileRules, in folder: String,
    countsAbsent: Bool
  ) {
    self.command = command
    self.countsAbsent = countsAbsent
    let project = Project(folder: folder)
    wholeFolders = WholeFolders(
      made: findings.madeFolders.compactMap {
        if case .inside(let path, _) = project.place(of: .init(path: $0, given: nil)) {
          path
        } else {
          nil
        }
      })
    var made: Set<String> = []
    programs = findings.programs.sorted()
    addresses = findings.addresses.sorted()
    for file in findings.written {
      switch project.place(of: file) {
      case .own: break
      case .outside(let path): outsideWritten.append(path)
      case .git(let path): ofGit.append(path)
      case .inside(let path, let other):
        if rules.isOutput(path) || rules.isOutput(other) || rules.isOutput(file.path) {
          outputs += 1
          made.formUnion([path, other])
        } else {
          written.append(path)
        }
      }
    }
    for file in findings.deleted {
      guard case .inside(let path, let other) = project.place(of: file) else { continue }
      if ![path, other, file.path].contains(where: rules.isOutput) { deleted.append(path) }
    }
    for file in findings.read {
      switch project.place(of: file) {
      case .own: break
      case .outside(let path): outsideRead.append(path)
      case .git(let path): ofGit.append(path)
      case .inside(let path, let other):
        let names = [path, other, file.path]
        if names.contains(where: rules.isSource) {
          sources += 1
          if names.contains(where: rules.isImplied) { implied.append(path) }
        } else if !names.contains(where: rules.isOutput) {
          read.append(path)
        }
      }
    }
    for file in findings.examined {
      guard case .inside(let path, let other) = project.place(of: file) else { continue }
      let names = [path, other, file.path]
      if !names.contains(where: rules.isSource), !names.contains(where: rules.isOutput) {
        examined.append(path)
      }
    }
    unmade = rules.outputFiles.filter { !made.contains($0) }
    absent = AbsentPaths(
      findings.missed.sorted().compactMap { missed in
        guard case .inside(let path, _) = project.place(of: .init(path: missed, given: nil)),
          ![path, missed].contains(where: { rules.isSource($0) || rules.isOutput($0) }),
          !Self.isOfPython(path)
        else { return nil }
        return path
      })
    // A folder that it has made, or that is not there any more, is its own.
    for folder in findings.listed.subtracting(findings.madeFolders).sorted() where folder.exists {
      guard case .inside(let path, _) = project.place(of: .init(path: folder, given: nil)),
        !rules.lists(path), !rules.lists(folder),
        !Self.isFilled(path, by: made.union(written), rules)
      else { continue }
      listed.append(path)
    }
    for list in [\Self.read, \.written, \.deleted, \.examined, \.listed] {
      self[keyPath: list].removeAll(where: Self.isOfPython)
    }
  }

  /// True for what Python keeps of the sources that it reads or looks at.
  private static func isOfPython(_ path: String) -> Bool {
    path.split(separator: "/").contains("__pycache__")
  }

  /// True if a folder contains files and the command has made all of them: such a folder is its own, too.
  /// Without it, sources that are all outputs would never be up to date.
  private static func isFilled(
    _ folder: String, by made: Set<String>, _ rules: FileRules
  ) -> Bool {
    guard folder != ".",
      let files = try? Glob([WatchPatterns.escaped(folder) + "/**"]).paths(), !files.isEmpty
    else { return false }
    return files.allSatisfy { made.contains($0) || rules.isOutput($0) }
  }

  var isClean: Bool { isComplete && unmade.isEmpty && deleted.isEmpty }

  /// True if the definition names all that was used.
  var isComplete: Bool {
    read.isEmpty && written.isEmpty && listed.isEmpty && examined.isEmpty
      && (!countsAbsent || absent.paths.isEmpty)
  }

  /// The elements that a field has to get.
  func additions(_ field: FileField) -> [String] {
    if field == .outputs {
      return wholeFolders.patterns(for: written, besides: read + examined).map(pattern)
    }
    let folders = try? Glob(listed.filter { $0 != "." }.map { WatchPatterns.escaped($0) + "/*" })
    let missing = countsAbsent ? absent.patterns : []
    let isComplete = read.isEmpty && examined.isEmpty && listed.isEmpty && missing.isEmpty
    let files = (read + examined + (isComplete ? [] : implied))
      .filter { folders?.matches($0) != true }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return files.map { command.writtenPattern(of: $0) } + listedPatterns
      + missing.map { WatchPatterns.optional(pattern($0)) }
  }

  /// The patterns that take a new file in the folders whose names were read: in all folders below, if
  /// their names were read too. The folder of the project is not taken as a whole.
  private var listedPatterns: [String] {
    var whole: [String] = []
    return listed.compactMap { folder in
      if whole.contains(where: { folder.hasPrefix($0 + "/") }) { return nil }
      let isWhole = folder != "." && listed.contains { $0.hasPrefix(folder + "/") }
      if isWhole { whole.append(folder) }
      let inner = isWhole ? "**" : "*"
      let pattern = command.writtenPattern(of: folder, inner)
      let found = try? Glob([WatchPatterns.pattern(inner, in: folder)]).paths()
      return found?.isEmpty == false ? pattern : WatchPatterns.optional(pattern)
    }
  }

  private func pattern(_ element: WholeFolders.Element) -> String {
    switch element {
    case .file(let path): command.writtenPattern(of: path)
    case .folder(let path): command.writtenPattern(of: path, "**")
    }
  }

  /// What to write into the definition, a field each.
  private var advice: [String] {
    [FileField.sources, .outputs].compactMap { field in
      let additions = additions(field)
      guard !additions.isEmpty else { return nil }
      guard let known = command.writtenPatterns(of: field) else {
        return "\(field.rawValue) must also give \(additions.map(\.inLua).joined(separator: ", "))"
      }
      let list = (known + additions).map(\.inLua).joined(separator: ", ")
      return "\(field.rawValue) = {\(list)},"
    }
  }

  func text(isVerbose: Bool) -> String {
    var text = ""
    func list(_ paths: [String], _ verb: String, _ one: String, _ several: String) {
      guard !paths.isEmpty else { return }
      let heading = paths.count == 1 ? "1 \(one)" : "\(paths.count) \(several)"
      text += "'\(command.name)' \(verb) \(heading):\n"
      text += paths.map { "  \($0.visibleInLine)\n" }.joined()
    }
    list(read, "reads", "file that is not a source", "files that are not sources")
    list(examined, "looks at", "file that is not a source", "files that are not sources")
    list(
      listed, "lists", "folder in which a new file would not be a source",
      "folders in which new files would not be sources")
    if countsAbsent {
      list(
        absent.paths, "looks for", "file that is not there and would not be a source",
        "files that are not there and would not be sources")
    }
    list(written, "writes", "file that is not an output", "files that are not outputs")
    list(deleted, "deletes", "file that is not an output", "files that are not outputs")
    if !unmade.isEmpty {
      list(unmade, "did not make", "output that was there", "outputs that were there")
      text +=
        "what \(unmade.count == 1 ? "it is" : "they are") made of is not known: remove "
        + "\(unmade.count == 1 ? "it" : "them") and audit again\n"
    }
    if isClean {
      text +=
        "'\(command.name)' names all that it reads and writes in the project: "
        + "\(Self.count(sources, "source")), \(Self.count(outputs, "output"))\n"
    } else if !isComplete {
      text += "add to its definition" + (command.position.map { " (\($0))" } ?? "") + ":\n"
      text += advice.map { "  \($0.visibleInLine)\n" }.joined()
    }
    text += summary("outside the project", outsideRead, outsideWritten, isVerbose)
    text += summary("in .git", ofGit, [], isVerbose)
    text += programText(isVerbose)
    if !addresses.isEmpty { text += "connected to \(addresses.joined(separator: ", "))\n" }
    if !countsAbsent { text += absent.text(isVerbose: isVerbose) }
    return text
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private func summary(
    _ place: String, _ read: [String], _ written: [String], _ isVerbose: Bool
  ) -> String {
    guard !read.isEmpty || !written.isEmpty else { return "" }
    let counts = [
      read.isEmpty ? nil : "\(Self.count(read.count, "file")) read",
      written.isEmpty ? nil : "\(Self.count(written.count, "file")) written",
    ].compactMap { $0 }.joined(separator: ", ")
    guard isVerbose else { return "\(place): \(counts), which -v lists\n" }
    return "\(place): \(counts)\n" + read.map { "  read \($0.visibleInLine)\n" }.joined()
      + written.map { "  written \($0.visibleInLine)\n" }.joined()
  }

  /// The programs by their names, or by their paths.
  private func programText(_ isVerbose: Bool) -> String {
    guard !programs.isEmpty else { return "" }
    guard isVerbose else {
      let names = Set(programs.map { $0.split(separator: "/").last.map(String.init) ?? $0 })
        .sorted()
      return "programs: \(names.joined(separator: ", ").visibleInLine)\n"
    }
    return "programs:\n" + programs.map { "  \($0.visibleInLine)\n" }.joined()
  }

  /// - Parameter status: the exit status of the command.
  func json(_ input: JSONValue, status: Int32) -> JSONValue {
    func list(_ texts: [String]) -> JSONValue { .list(texts.map { .string($0) }) }
    return .object([
      ("command", .string(command.name)), ("input", input), ("exit_code", .integer(Int64(status))),
      ("clean", .bool(isClean)), ("read", list(read)), ("written", list(written)),
      ("deleted", list(deleted)), ("examined", list(examined)), ("listed", list(listed)),
      ("unmade", list(unmade)),
      (
        "add",
        .object([
          ("sources", list(additions(.sources))), ("outputs", list(additions(.outputs))),
        ])
      ), ("programs", list(programs)), ("addresses", list(addresses)),
      ("outside", .object([("read", list(outsideRead)), ("written", list(outsideWritten))])),
      ("git", list(ofGit)), ("missed", list(absent.paths)),
    ])
  }
}

/// The folder of the command file, and what of it counts.
private struct Project {
  let folder: String

  enum Place {
    /// A file of the project, by both of its paths if it has two.
    case inside(String, String)
    case git(String)
    case outside(String)
    /// A file of this program.
    case own
  }

  func place(of file: AuditFindings.File) -> Place {
    let paths = [file.given, file.path].compactMap { $0 }.compactMap(relative)
    guard let path = paths.first else {
      let isDevice = ["/dev/", "/proc/", "/sys/"].contains(where: file.path.hasPrefix)
      return isDevice ? .own : .outside(file.path)
    }
    if path == ".raclette" || path.hasPrefix(".raclette/") { return .own }
    if path == ".git" || path.hasPrefix(".git/") { return .git(path) }
    return .inside(path, paths.last ?? path)
  }

  private func relative(_ path: String) -> String? {
    if path == folder { return "." }
    let start = folder == "/" ? "/" : folder + "/"
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : nil
  }
}

extension String {
  /// The text as a literal of Lua.
  var inLua: String {
    var literal = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\" + String(scalar)
      case _ where scalar.keepsByte || scalar.value < 32 || scalar.value == 127:
        for byte in String(scalar).exactBytes {
          let digits = String(byte, radix: 16)
          literal += "\\x" + (digits.count < 2 ? "0" : "") + digits
        }
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}
