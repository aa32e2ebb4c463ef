import Platform

/// The kinds of files whose recipes can be taken in.
public enum AdoptedFormat: Sendable, CaseIterable {
  case justfile, makefile, packageJSON

  /// The names of its files, first the usual one.
  var names: [String] {
    switch self {
    case .justfile: ["justfile", "Justfile", ".justfile"]
    case .makefile: ["Makefile", "makefile", "GNUmakefile"]
    case .packageJSON: ["package.json"]
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
    } else {
      return nil
    }
  }

  /// The files of these kinds in a folder.
  ///
  /// - Parameter folder: ends with a slash, or is empty for the current one.
  public static func files(in folder: String) -> [String] {
    allCases.compactMap { format in
      format.names.first { access(folder + $0, F_OK) == 0 }
    }
  }

  /// Reads the recipes of a file, in the file's order.
  func recipes(of file: AdoptedFile) throws(AdoptionError) -> [AdoptedRecipe] {
    switch self {
    case .justfile: try Justfile(file).recipes()
    case .makefile: try Makefile(file).recipes()
    case .packageJSON: try PackageJSON(file).recipes()
    }
  }
}

/// A file to take in.
struct AdoptedFile: Sendable {
  /// The path that the program reads.
  let path: String
  /// The path in messages.
  let title: String

  /// The folder in which the tool works.
  var folder: String { FilePath.parent(of: path) }
  /// The name in that folder.
  var name: String { path.cut(atLast: "/").map { String($0.after) } ?? path }

  func content() throws(AdoptionError) -> [UInt8] {
    guard let content = fileContent(path) else {
      throw .unreadable(title, reason: systemErrorText(errno))
    }
    return content
  }
}

/// The reason why a file cannot be taken in.
enum AdoptionError: Error, CustomStringConvertible {
  case format(String)
  case unreadable(String, reason: String)
  case malformed(String, line: Int, reason: String)
  case missingTool(String, file: String)
  case failedTool(String, file: String, errors: String)
  case unknownRecipe(String, file: String, known: [String])
  case key(String, recipe: String)
  case definition(String, recipe: String)

  var description: String {
    switch self {
    case .format(let file):
      "cannot adopt \(file): its name is not that of a justfile, Makefile or package.json"
    case .unreadable(let file, let reason): "cannot adopt \(file): \(reason)"
    case .malformed(let file, let line, let reason): "\(file):\(line): \(reason)"
    case .missingTool(let tool, let file):
      "cannot adopt \(file): its recipes are listed by '\(tool)', which is not installed"
    case .failedTool(let tool, let file, let errors):
      "cannot adopt \(file): \(tool): \(errors)"
    case .unknownRecipe(let name, let file, let known):
      "\(file) has no recipe '\(name)'" + didYouMean(name, among: known)
    case .key(let key, let recipe):
      "recipe '\(recipe)': its tool decides '\(key)'"
    case .definition(let problem, let recipe): "recipe '\(recipe)': \(problem)"
    }
  }
}
