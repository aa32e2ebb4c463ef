import RunnerCore

extension Subcommand {
  /// Those that execute and change nothing, or that answer a make which executes nothing themselves.
  static let answersMake: Set<String> = [
    "run", "choose", "list", "show", "explain", "status", "check", "history", "replay", "timeline",
    "ps", "logs", "jobs", "doctor", "completions", "complete", "man", "help",
  ]
}

extension Subcommand.Work {
  /// The work that is left of a subcommand under a make that executes nothing: to say so.
  static func leftOut(by mode: MakeMode, _ line: CommandLine) -> Self {
    .other {
      Report(line).say("make \(mode.option): nothing is executed")
      return mode == .question ? ExitStatus.failure : ExitStatus.success
    }
  }
}

extension Session {
  /// Says what becomes of a run under a make that executes nothing.
  ///
  /// - Parameter mode: the mode of that make; nil if there is none.
  func tell(_ mode: MakeMode?) {
    switch mode {
    case .question:
      report.say("make -q: nothing is executed; the status is 1 if something would be")
    case .dryRun, .touch: report.say("make -n: nothing is executed; this is the plan")
    case nil:
      guard let ignored = MakeMode.ignored else { return }
      report.say("'\(ignored.option)' in MAKEFLAGS is ignored: no make has started this program")
    }
  }
}
