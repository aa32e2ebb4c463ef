extension Option {
  package static let memoryLimit = Option(
    name: .memoryLimit, long: "memory-limit", value: "SIZE", form: .size,
    help: "limit the memory of Lua, such as 256M")
  package static let timeLimit = Option(
    name: .timeLimit, long: "time-limit", value: "TIME", form: .duration,
    help: "limit how long Lua code may run without waiting, such as 10s")
  package static let sandbox = Option(
    name: .sandbox, long: "sandbox",
    help: "deny files, processes and environment; limit Lua to 256M and 10s")

  package static let trust = Option(
    name: .trust, long: "trust",
    help: "allow the file to start processes and change files while it loads")

  /// The options that limit the capabilities and resources of untrusted scripts.
  package static let confinement: [Option] = [.memoryLimit, .timeLimit, .sandbox]
}
