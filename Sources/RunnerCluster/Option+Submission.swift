import RunnerCore

extension Option {
  package static let submit = Option(
    name: .submit, long: "submit",
    help: "hand the plan to the workers of a server's journal and exit")
  package static let bundle = Option(
    name: .bundle, long: "bundle", value: "GLOB",
    help: "also send files that match GLOB to workers; repeatable")
  package static let queueKey = Option(
    name: .queueKey, long: "queue-key", value: "FILE", form: .file,
    help: "seal inputs that hold secrets with the key in FILE (64 hex digits)"
  )
  /// The options that only a journal on a server takes.
  package static let submission: [Option] = [.submit, .bundle, .queueKey]
}
