import Digests
import Platform
import RunnerBatch
import RunnerCore
import Scripting

/// Collects the files of a bundle: the command file and all that it and the scripts of a plan name by
/// `require`, `dofile`, `loadfile`, `rac.include` and `env_file`, and those of `--bundle`.
///
/// The current folder is that of the command file; without one it is the user's.
package struct BundleCollection {
  /// The folder whose files are carried, with symbolic links resolved.
  private let root: String
  /// The folder of the user's own plugins, which become plugins of the project in the bundle.
  private let ownPlugins: String?
  /// The files on this machine, by their paths in the bundle.
  private var sources: [String: String] = [:]

  /// - Parameter root: an absolute path.
  package init(root: String) {
    self.root = resolvedPath(root) ?? root
    ownPlugins = ScriptHost.configurationFolder.flatMap { resolvedPath("\($0)/plugins") }
  }

  /// Adds a Lua file and all that it names.
  ///
  /// - Returns: the path of the file in the bundle; nil if it is meant to be on every machine.
  @discardableResult
  package mutating func add(script path: String) throws(BundleError) -> String? {
    let place = try add(path, namedBy: "the plan")
    guard let digest = ScriptDigest(of: path) else { return place }
    for file in digest.paths where file != path { try add(file, namedBy: path) }
    return place
  }

  /// Adds what a loaded command file has read.
  ///
  /// - Parameter file: the command file in the current folder.
  package mutating func add(commandFile file: String, of session: Session) throws(BundleError) {
    try add(script: file)
    for (path, _) in session.commandFiles { try add(path, namedBy: file) }
    for path in session.moduleFiles where place(of: path) != nil {
      try add(path, namedBy: file)
    }
    for command in session.host.commands { try add(variablesOf: command) }
  }

  /// Adds the files of variables of a command, if they hold no secrets.
  private mutating func add(variablesOf command: ScriptCommand) throws(BundleError) {
    let sources: [VariableSource]
    do { sources = try command.variableSources() } catch {
      throw .unreadable("the env_file of \(command.name)", reason: error.message)
    }
    for source in sources where access(source.path, F_OK) == 0 {
      guard source.isSecret else {
        try add(source.path, namedBy: "'\(command.name)'")
        continue
      }
      if !source.isOptional { throw .secretFile(source.path, command: command.name) }
    }
  }

  /// Adds the files that a pattern of `--bundle` matches.
  package mutating func add(pattern: String) throws(BundleError) {
    let paths: [String]
    do { paths = try Glob([pattern]).paths() } catch {
      throw .pattern(pattern, reason: "\(error)")
    }
    if paths.isEmpty { throw .noMatch(pattern) }
    for path in paths { try add(path, namedBy: "--bundle") }
  }

  @discardableResult
  private mutating func add(
    _ path: String, namedBy name: String
  ) throws(BundleError) -> String? {
    guard let place = place(of: path) else {
      // An absolute path means the same file on every machine.
      if path.hasPrefix("/") { return nil }
      throw .outside(path, namedBy: name, folder: root)
    }
    guard place.exactBytes == Array(place.utf8) else { throw .notUTF8(path) }
    sources[place] = path.hasPrefix("/") ? path : "\(root)/\(path)"
    return place
  }

  /// The path of a file in the bundle; nil if it is not in the folder.
  private func place(of path: String) -> String? {
    let whole = path.hasPrefix("/") ? path : "\(root)/\(path)"
    if let place = Self.path(whole, in: root) { return place }
    // A folder may be reached by several names.
    let (folder, name) = CommandFile.split(whole)
    guard let real = resolvedPath(folder) else { return nil }
    if let place = Self.path("\(real)/\(name)", in: root) { return place }
    return ownPlugins.flatMap { Self.path("\(real)/\(name)", in: $0) }
      .map { ".raclette/plugins/\($0)" }
  }

  /// The path relative to a folder, without `.` and `..`; nil if it leads out of it.
  private static func path(_ path: String, in folder: String) -> String? {
    var parts: [Substring] = []
    for part in path.split(separator: "/") {
      switch part {
      case ".": break
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
    let base = folder.split(separator: "/")
    guard parts.starts(with: base), parts.count > base.count else { return nil }
    return parts[base.count...].joined(separator: "/")
  }

  /// Reads the files.
  ///
  /// - Parameter commandFile: the command file in the current folder; nil if there is none.
  package func finish(commandFile: String?) throws(BundleError) -> Bundle {
    var files: [BundleListing.File] = []
    for (place, source) in sources { files.append(try Bundle.file(place, from: source)) }
    let place = commandFile.flatMap(place(of:)) ?? ""
    return Bundle(
      listing: BundleListing(files: files, commandFile: place), sources: sources)
  }
}

/// A bundle, and where its files are on this machine.
package struct Bundle: Sendable {
  package let listing: BundleListing
  /// Paths on this machine, by those in the bundle.
  package let sources: [String: String]

  fileprivate static func file(
    _ place: String, from source: String
  ) throws(BundleError) -> BundleListing.File {
    var information = stat()
    guard stat(source, &information) == 0 else {
      throw .unreadable(source, reason: systemErrorText(errno))
    }
    let digest: [UInt8]
    do { digest = try SHA256.digest(ofFile: source) } catch {
      throw .unreadable(source, reason: systemErrorText(error.code))
    }
    let isExecutable = information.st_mode & 0o100 != 0
    return BundleListing.File(
      path: place, blob: digest.hexadecimal, size: Int(information.st_size),
      mode: isExecutable ? 0o755 : 0o644)
  }
}
