import Commands
import LuaRuntime
import RunnerCore
import Scripting

extension Repl {
  func listJobs() {
    let jobs = workspace.jobs.all
    guard !jobs.isEmpty else { return printer.show("no jobs") }
    let active = jobs.filter(\.isActive)
    printer.show(
      TextColumns.text(
        (jobs.filter { !$0.isActive }.suffix(10) + active).map { job in
          (job.label, "\(job.execution.state.rawValue)  (\(job.extent))")
        }))
  }

  func kill(_ text: String) {
    for word in text.split(separator: " ") {
      guard let job = job(String(word)) else { continue }
      guard job.isActive else {
        complain("\(job.label) has ended already")
        continue
      }
      job.isAnnounced = true
      job.execution.cancel()
    }
  }

  func waitForJobs(_ text: String) {
    let jobs: [Job]
    if text.isEmpty {
      jobs = workspace.jobs.active
    } else {
      guard let job = job(text) else { return }
      jobs = [job]
    }
    session.loop.offerTerminal()
    let isForAll = text.isEmpty
    if wait(until: { [workspace] in
      jobs.allSatisfy { !$0.isActive } && !(isForAll && workspace.hasRuns)
    }) {
      return printer.note("no longer waiting")
    }
    for job in jobs where job.isActive && !session.isEnding {
      complain(Failure.stuck(job.label).message)
    }
  }

  func replay(_ text: String) {
    guard let job = job(text) else { return }
    session.loop.offerTerminal()
    follow(job, isOwn: false)
  }

  /// The job with a number, given with or without brackets.
  private func job(_ text: String) -> Job? {
    let digits = text.trimmed.trimmingPrefix("[").prefix { $0 != "]" }
    guard let number = Int(digits) else {
      complain("'\(text)' is not the number of a job; see :jobs")
      return nil
    }
    guard let job = workspace.jobs[number] else {
      complain("there is no job \(number); see :jobs")
      return nil
    }
    return job
  }
}
