import RunnerCore

extension Option {
  package static let batch: [Option] =
    [
      .jobs, .keepGoingPlan, .failFast, .force, .timeout, .retries, .enabledTimeout, .output, .json,
      .yes, .progress, .journal, .resume, .leftover, .summary, .junit, .otlp, .agent,
    ] + confinement

  static let keepGoingPlan = Option(
    name: .keepGoing, long: "keep-going", short: "k",
    help: "go on after a failure of a batch, as is the default")
  package static let failFast = Option(
    name: .failFast, long: "fail-fast", help: "stop after the first failure of a batch")
  package static let retries = Option(
    name: .retries, long: "retries", value: "N", form: .number,
    help: "try what fails up to N more times")
  package static let enabledTimeout = Option(
    name: .enabledTimeout, long: "enabled-timeout", value: "TIME", form: .duration,
    help: "how long a command that is not enabled is waited for; else 1m")
  package static let progress = Option(
    name: .progress, long: "progress", value: "WHEN", form: .choices(["auto", "always", "never"]),
    help: "a bar on a terminal, else a line now and then: auto, always or never")
  package static let resume = Option(
    name: .resume, long: "resume",
    help: "execute only what has not completed by the journal, else by .raclette/journal.db")
  static let leftover = Option(
    name: .leftover, long: "leftover", value: "WHAT",
    form: .choices(Leftovers.Treatment.allCases.map(\.rawValue)),
    help: "what --resume does with processes that a killed batch left running: end or wait")
  package static let summary = Option(
    name: .summary, long: "summary", value: "FILE", form: .file,
    help: "write what the batch came to, as JSON")
  package static let junit = Option(
    name: .junit, long: "junit", value: "FILE", form: .file,
    help: "write the entries as test results that CI systems read")
}
