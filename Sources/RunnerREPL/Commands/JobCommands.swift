import Commands
import LuaRuntime
import RunnerCore
import Scripting

extension Repl {
  func runCommand(_ text: String) {
    let isBackground = text.hasSuffix("&")
    let call = isBackground ? String(text.dropLast()) : text
    guard let words = ShellWords.split(call) else { return complain("a quote has no end: \(call)") }
    runCommand(words, isBackground: isBackground)
  }

  /// Executes a command by its name and arguments.
  func runCommand(_ words: [String], isBackground: Bool) {
    guard let name = words.first else { return complain("usage: :run COMMAND [ARGS] [&]") }
    guard let command = workspace.host.command(named: name) else {
      let names = workspace.host.commands.flatMap { [$0.name] + $0.aliases }
      return complain("unknown command '\(name)'" + didYouMean(name, among: names))
    }
    if words.contains("--help") { return document(name) }
    let input: LuaValue
    do { input = try command.input(from: Array(words.dropFirst())) } catch {
      return complain("\(name): \(error)")
    }
    if isBackground, command.isInteractive {
      return complain("\(name) is interactive: it needs the terminal, so run it without &")
    }
    let before = workspace.jobs.latest
    let execution = command.execute(input)
    guard let job = workspace.jobs[execution.id] else { return }
    guard isBackground else { return follow(job, isOwn: job.id > before) }
    job.isAnnounced = true
    if job.isActive { printer.note(job.label) }
  }

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
    if wait(until: { jobs.allSatisfy { !$0.isActive } }) {
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
      complain("'\(text)' is no number of a job; see :jobs")
      return nil
    }
    guard let job = workspace.jobs[number] else {
      complain("there is no job \(number); see :jobs")
      return nil
    }
    return job
  }
}
