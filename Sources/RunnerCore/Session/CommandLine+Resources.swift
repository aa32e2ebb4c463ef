import Platform
import Scripting

extension CommandLine {
  /// The resources that `--resource` offers.
  ///
  /// - Throws: `UsageError` for one that has no name, or no amount.
  package var resources: Resources {
    get throws(UsageError) {
      var resources: Resources = [:]
      for text in all(.resource) {
        guard let parts = text.cut(atFirst: "="), Resources.isName(String(parts.before)),
          let amount = ResourceAmount(String(parts.after))
        else {
          throw .input(
            "--resource takes NAME=N, such as gpu=2 or memory=12G, not '\(text.visibleInLine)'")
        }
        resources[String(parts.before)] = amount
      }
      return resources
    }
  }
}
