import RunnerCore

extension Option {
  package static let batch: [Option] =
    [
      .jobs, .resource, .keepGoingPlan, .failFast, .force, .timeout, .retries, .enabledTimeout,
      .output, .json,
      .yes, .progress, .journal, .resume, .leftover, .summary, .junit, .otlp, .agent,
    ] + confinement

  static let keepGoingPlan = Option(
    name: .keepGoing, long: "keep-going", short: "k",
    help: "keep going after a failure (default in a batch)")
  package static let failFast = Option(
    name: .failFast, long: "fail-fast", help: "stop the batch at the first failure")
  package static let retries = Option(
    name: .retries, long: "retries", value: "N", form: .number,
    help: "retry a failed entry up to N times")
  package static let enabledTimeout = Option(
    name: .enabledTimeout, long: "enabled-timeout", value: "TIME", form: .duration,
    help: "wait up to TIME for a disabled command (default: 1m)")
  package static let progress = Option(
    name: .progress, long: "progress", value: "WHEN", form: .choices(["auto", "always", "never"]),
    help: "show progress: auto, always or never (default: auto)")
  package static let resume = Option(
    name: .resume, long: "resume",
    help: "skip entries that the journal records as completed (default: .raclette/journal.db)")
  static let leftover = Option(
    name: .leftover, long: "leftover", value: "WHAT",
    form: .choices(Leftovers.Treatment.allCases.map(\.rawValue)),
    help: "for processes that a killed batch left running: end or wait")
  package static let summary = Option(
    name: .summary, long: "summary", value: "FILE", form: .file,
    help: "write a summary of the batch to FILE, as JSON")
  package static let junit = Option(
    name: .junit, long: "junit", value: "FILE", form: .file,
    help: "write the entries to FILE, as JUnit test results")
}
