/// The origin of a command that another tool executes.
struct AdoptedDefinition: Sendable {
  /// The path of the tool's file, as in messages.
  let file: String
  /// `file:line` of the recipe; the file alone if its format has no lines.
  let position: String
  let arguments: AdoptedArguments
}
