import RunnerCore

extension Option {
  /// The options of `raclette worker`.
  package static let worker: [Option] = [
    .serverJournal, .jobs, .tags, .onlyBatch, .drain, .once, .queueKey, .otlp,
  ]

  package static let serverJournal = Option(
    name: .journal, long: "journal", value: "URL",
    help: "the journal, postgresql://HOST/DATABASE; also RACLETTE_JOURNAL")
  static let tags = Option(
    name: .tags, long: "tags", value: "TAGS",
    help: "what the worker offers, such as gpu,eu; it takes entries that need no more")
  static let onlyBatch = Option(
    name: .onlyBatch, long: "batch", value: "BATCH", form: .count,
    help: "execute the entries of this batch only")
  static let drain = Option(
    name: .drain, long: "drain", value: "TIME", form: .duration,
    help: "how long what is running may go on after SIGTERM; else to its end")
  static let once = Option(
    name: .once, long: "once", help: "end when there is nothing to execute")
}
