import RunnerCore

extension Option {
  /// The options of `raclette worker`.
  package static let worker: [Option] = [
    .serverJournal, .jobs, .tags, .resource, .onlyBatch, .drain, .once, .queueKey, .otlp,
  ]

  package static let serverJournal = Option(
    name: .journal, long: "journal", value: "URL",
    help: "the journal, postgresql://HOST/DATABASE (env: RACLETTE_JOURNAL)")
  static let tags = Option(
    name: .tags, long: "tags", value: "TAGS",
    help: "the tags that this worker offers, such as gpu,eu")
  static let onlyBatch = Option(
    name: .onlyBatch, long: "batch", value: "BATCH", form: .count,
    help: "execute entries of BATCH only")
  static let drain = Option(
    name: .drain, long: "drain", value: "TIME", form: .duration,
    help: "after SIGTERM, let running entries continue for TIME (default: no limit)")
  static let once = Option(
    name: .once, long: "once", help: "exit when there is nothing left to execute")
}
