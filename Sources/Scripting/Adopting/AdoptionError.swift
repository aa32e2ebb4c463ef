import Platform

/// The reason why a file, or a recipe in it, cannot be taken in.
enum AdoptionError: Error, CustomStringConvertible {
  case format(String)
  case unreadable(String, reason: String)
  case malformed(String, line: Int, reason: String)
  case computedList(String, line: Int)
  case missingTool(String, file: String)
  case missingLibrary(String, package: String, file: String, reason: String)
  case failedTool(String, file: String, errors: String)
  case unknownRecipe(String, file: String, known: [String])
  case key(String, recipe: String)
  case definition(String, recipe: String)

  /// True if the file is at fault, or the machine that reads it, and not the call: the commands of
  /// other files do not depend on it.
  var concernsFileAlone: Bool {
    switch self {
    case .unreadable, .malformed, .computedList, .missingTool, .missingLibrary, .failedTool: true
    case .format, .unknownRecipe, .key, .definition: false
    }
  }

  /// True if the text begins with the place.
  var hasPlace: Bool {
    switch self {
    case .malformed, .computedList: true
    default: false
    }
  }

  var description: String {
    switch self {
    case .format(let file):
      "cannot adopt \(file): its name is not that of a \(AdoptedFormat.kinds)"
    case .unreadable(let file, let reason): "cannot adopt \(file): \(reason)"
    case .malformed(let file, let line, let reason): "\(file):\(line): \(reason)"
    case .computedList(let file, let line):
      "\(file):\(line): cannot adopt \(file): task executes 'sh' of variables to list a file with "
        + "'dotenv'; write 'dotenv' on lines of its own, which are left out for the list"
    case .missingTool(let tool, let file):
      "cannot adopt \(file): its recipes are listed by '\(tool)', which is not installed"
    case .missingLibrary(let library, let package, let file, let reason):
      "cannot adopt \(file): it is read by \(library) (apt install \(package)): \(reason)"
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
