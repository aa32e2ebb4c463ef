/// A command file that is missing or does not load.
package struct CommandFileError: Error, CustomStringConvertible {
  package let message: String

  package init(message: String) {
    self.message = message
  }
  package var description: String { message }

  package static let noCommandFile = CommandFileError(
    message:
      "no \(CommandFile.name) here or in a folder above; 'raclette init' writes one, -f FILE names another"
  )
}
