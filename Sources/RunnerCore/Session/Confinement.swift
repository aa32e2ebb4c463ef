extension Option {
  package static let memoryLimit = Option(
    name: .memoryLimit, long: "memory-limit", value: "SIZE", form: .size,
    help: "the most memory that Lua may use: 256M")
  package static let timeLimit = Option(
    name: .timeLimit, long: "time-limit", value: "TIME", form: .duration,
    help: "how long Lua code may run at a stretch, without waiting: 10s")
  package static let sandbox = Option(
    name: .sandbox, long: "sandbox",
    help: "no files, processes or environment; limits of 256M and 10s")

  package static let trust = Option(
    name: .trust, long: "trust",
    help: "let a file that is only looked at start processes and change files")

  /// The options that limit the capabilities and resources of untrusted scripts.
  package static let confinement: [Option] = [.memoryLimit, .timeLimit, .sandbox]
}
