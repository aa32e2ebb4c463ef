import Platform
import Scripting

extension ResultCache {
  /// The cache of the user.
  ///
  /// - Returns: nil if the user has no folder for caches, or wants none.
  /// - Throws: `UsageError` if the variable that bounds it has another form.
  package static func ofUser() throws(UsageError) -> ResultCache? {
    guard let folder = userFolder else { return nil }
    guard let text = ProcessEnvironment.value(of: variable), !text.isEmpty else {
      return ResultCache(folder: folder, bound: usualBound)
    }
    if text == "0" { return nil }
    guard let bound = size(text) else {
      throw .input("\(variable) must be a size such as 20G, or 0 for no cache, not '\(text)'")
    }
    return ResultCache(folder: folder, bound: bound)
  }

  /// Reads a size such as `20G`; nil for anything else.
  package static func size(_ text: String) -> Int? {
    ResourceAmount(text).flatMap { Int(exactly: $0.value) }
  }
}
