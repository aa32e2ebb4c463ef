import EventLoop
import Platform

/// The budget of jobs that a run shares with all that it starts, and with what has started it.
enum JobBudget {
  /// Begins a job server if the command line sets a number of jobs, else takes part in that of the
  /// caller, if there is one.
  ///
  /// - Returns: nil if processes start without a budget.
  static func open(_ line: CommandLine, _ report: Report, on loop: EventLoop) -> JobServer? {
    let flags = ProcessEnvironment.value(of: JobServerVariables.flags) ?? ""
    let callers = JobServerAddress(makeFlags: flags)
    if let jobs = line.count(.jobs) {
      if callers != nil {
        report.say("--jobs \(jobs) sets a separate budget: the caller's job server is not used")
      }
      let server = begin(jobs: jobs, over: flags, on: loop)
      if let limit = server?.limit, limit < jobs {
        report.say("--jobs \(jobs) is more than a pipe of this system holds: the limit is \(limit)")
      }
      return server
    }
    if let server = join(callers, on: loop) {
      JobServerVariables.offer(server, over: flags)
      return server
    }
    guard callers != nil else { return nil }
    let server = begin(jobs: 1, over: flags, on: loop)
    server?.onFirstJob = { [report] in
      report.say(
        MakeMode.isUnderMake
          ? "make's job server cannot be used, so one job runs at a time; in the makefile, begin the "
            + "line with '+'"
          : "the job server in MAKEFLAGS cannot be used, so one job runs at a time; --jobs sets "
            + "another number")
    }
    return server
  }

  private static func begin(jobs: Int, over flags: String, on loop: EventLoop) -> JobServer? {
    let server = JobServer(jobs: jobs, on: loop)
    if let server { JobServerVariables.offer(server, over: flags) }
    return server
  }

  /// Takes part in the job server of the caller.
  ///
  /// - Parameter address: the address in `MAKEFLAGS`; nil if it names none.
  private static func join(_ address: JobServerAddress?, on loop: EventLoop) -> JobServer? {
    // A make between the holder and this process may have a job server of its own.
    guard let holder = environment(JobServerVariables.holder).flatMap(JobServerHolder.init),
      address == nil || address == holder.address
    else { return address.flatMap { JobServer($0, on: loop) } }
    // The numbers may be those of another pipe by now.
    if address != nil, holder.isInherited { return JobServer(holder.address, on: loop) }
    return JobServer(holder, on: loop)
  }
}
