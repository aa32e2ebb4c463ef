import Platform

/// The kinds of files whose recipes can be taken in.
public enum AdoptedFormat: Sendable, CaseIterable {
  case justfile, taskfile, makefile, packageJSON, pyproject, compose

  /// These kinds in a sentence: "a …".
  package static let kinds =
    "justfile, Taskfile.yml, Makefile, package.json, pyproject.toml or compose.yaml"

  /// The names of its files in the order in which the tool looks for them.
  var names: [String] {
    switch self {
    case .justfile: ["justfile", "Justfile", ".justfile"]
    case .taskfile: Taskfile.names
    case .makefile: ["GNUmakefile", "makefile", "Makefile"]
    case .packageJSON: ["package.json"]
    case .pyproject: ["pyproject.toml"]
    case .compose: ComposeFile.names
    }
  }

  /// The namespace of its recipes where those of another file have their plain names.
  private var namespace: String {
    switch self {
    case .justfile: "just"
    case .taskfile: "task"
    case .makefile: "make"
    case .packageJSON: "npm"
    case .pyproject: "py"
    case .compose: "compose"
    }
  }

  /// The format of a file by its name; nil for any other file.
  public init?(ofFile path: String) {
    let name = path.cut(atLast: "/").map { String($0.after) } ?? path
    if let format = Self.allCases.first(where: { $0.names.contains(name) }) {
      self = format
    } else if name.hasSuffix(".just") {
      self = .justfile
    } else if name.hasSuffix(".mk") {
      self = .makefile
    } else if let format = Self.ofYAML(name.lowercased()) {
      self = format
    } else {
      return nil
    }
  }

  /// `build.Taskfile.yml`, `Taskfile_linux.yml`, `compose.test.yaml` and their like.
  private static func ofYAML(_ name: String) -> AdoptedFormat? {
    guard name.hasSuffix(".yml") || name.hasSuffix(".yaml") else { return nil }
    if name.contains("taskfile") { return .taskfile }
    return name.hasPrefix("compose.") || name.hasPrefix("docker-compose") ? .compose : nil
  }

  /// The files of these kinds in a folder, without those that have no recipes as far as a look can
  /// tell.
  ///
  /// - Parameter folder: ends with a slash, or is empty for the current one.
  public static func files(in folder: String) -> [String] {
    allCases.compactMap { format in
      format.names.first {
        access(folder + $0, F_OK) == 0 && (format != .pyproject || Pyproject.hasTasks(folder + $0))
      }
    }
  }

  /// The lines of Lua that take in files of one folder. The recipes of the first keep their names, those
  /// of the others get a namespace.
  ///
  /// - Parameter path: from the folder of the script to a file.
  public static func lines(for files: [String], path: (String) -> String = { $0 }) -> [String] {
    files.enumerated().map { index, file in
      let literal = LuaLiteral.text(path(file), limit: .max)
      guard index > 0, let format = AdoptedFormat(ofFile: file) else {
        return "rac.adopt(\(literal))"
      }
      return "rac.adopt(\(literal), {as = \"\(format.namespace)\"})"
    }
  }

  /// Reads the recipes of a file, in the file's order.
  func recipes(of file: AdoptedFile) throws(AdoptionError) -> [AdoptedRecipe] {
    switch self {
    case .justfile: try AdoptionCache.recipes(of: file, listedBy: "just", Justfile.recipes)
    case .taskfile:
      try AdoptionCache.recipes(of: file, listedBy: Taskfile.program(), Taskfile.recipes)
    case .makefile: try Makefile(file).recipes()
    case .packageJSON: try PackageJSON(file).recipes()
    case .pyproject: try AdoptionCache.recipes(of: file, listedBy: "python3", Pyproject.recipes)
    case .compose: try ComposeFile(file).recipes()
    }
  }
}
