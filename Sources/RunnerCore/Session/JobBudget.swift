import EventLoop
import Platform

/// The budget of jobs that a run shares with all that it starts, and with what has started it.
enum JobBudget {
  /// Begins a job server if the command line sets a number of jobs, else takes part in that of the
  /// caller, if there is one.
  ///
  /// - Returns: nil if processes start without a budget.
  static func open(_ line: CommandLine, _ report: Report, on loop: EventLoop) -> JobServer? {
    let flags = ProcessEnvironment.value(of: variable) ?? ""
    let callers = JobServerAddress(makeFlags: flags)
    if let jobs = line.count(.jobs) {
      guard let server = JobServer(jobs: jobs, on: loop), let address = server.address else {
        return nil
      }
      if callers != nil {
        report.say("--jobs \(jobs) is a budget of its own: the caller's job server is not used")
      }
      ProcessEnvironment.set(variable, to: address.makeFlags(jobs: jobs, over: flags).exactBytes)
      return server
    }
    guard let callers else { return nil }
    if let server = JobServer(callers, on: loop) { return server }
    // make says so to programs that it does not take for makes.
    guard !callers.isClosed else { return nil }
    report.say(
      "the job server in MAKEFLAGS cannot be used; in a makefile, begin the line with '+'")
    ProcessEnvironment.set(variable, to: JobServerAddress.makeFlags(without: flags).exactBytes)
    return nil
  }

  private static var variable: String { "MAKEFLAGS" }
}
