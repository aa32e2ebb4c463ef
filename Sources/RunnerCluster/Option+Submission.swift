import RunnerCore

extension Option {
  package static let submit = Option(
    name: .submit, long: "submit",
    help: "hand the plan over to the workers of a journal on a server, and leave")
  package static let bundle = Option(
    name: .bundle, long: "bundle", value: "GLOB",
    help: "files that workers get besides the command file's; may be repeated")
  package static let queueKey = Option(
    name: .queueKey, long: "queue-key", value: "FILE", form: .file,
    help: "the key, of 64 hexadecimal digits, that seals inputs with secrets; workers need the same"
  )
  /// The options that only a journal on a server takes.
  package static let submission: [Option] = [.submit, .bundle, .queueKey]
}
