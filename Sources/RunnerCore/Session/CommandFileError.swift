/// A command file that is missing or does not load.
package struct CommandFileError: Error, CustomStringConvertible {
  package let message: String

  package init(message: String) {
    self.message = message
  }
  package var description: String { message }

  package static var noCommandFile: CommandFileError {
    let found = CommandFile.nearestAdoptable().map {
      "; 'raclette --adopt' takes the recipes of \($0)"
    }
    return CommandFileError(
      message: "no \(CommandFile.name) here or in a folder above" + CommandFile.hintAtMisnamed
        + (found ?? "")
        + "; 'raclette init' writes one, -f FILE names another")
  }
}
