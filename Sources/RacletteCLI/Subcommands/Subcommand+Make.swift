import RunnerCore

extension Subcommand {
  /// What becomes of a subcommand under a make that executes nothing.
  enum UnderMake {
    /// It executes and changes nothing, or follows the mode of make itself.
    case answered
    /// It only says that nothing is executed.
    case leftOut
  }
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
  func reportMakeMode(_ mode: MakeMode?) {
    switch mode {
    case .question:
      report.say("make -q: nothing is executed; the status is 1 if something would be")
    case .dryRun: report.say("make -n: nothing is executed; this is the plan")
    // The run was left out.
    case .touch: break
    case nil:
      guard let ignored = MakeMode.ignored else { return }
      report.say(
        "'\(ignored.option)' in MAKEFLAGS is ignored: this program was not started by make")
    }
  }
}
