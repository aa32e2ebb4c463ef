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

  /// Executes commands by their names and arguments, as `raclette run` does: sequences side by side
  /// are jobs, which are awaited.
  func runCommand(_ words: [String], isBackground: Bool) {
    let reader = CallReader(
      workspace.host, file: "", asks: true, ownOptions: [], otherNames: [])
    let calls = reader.calls(in: words)
    guard calls.isComplete else { return complain("usage: :run COMMAND [ARGS] [&]") }
    for sequence in calls.sequences {
      run(sequence, isBackground: isBackground || calls.sequences.count > 1)
    }
    if calls.sequences.count > 1, !isBackground { waitForJobs("") }
  }

  /// Executes a sequence of calls: asks for what is missing and for confirmation, then executes what
  /// a command needs, and evaluates its condition at last.
  private func run(_ sequence: [ArraySlice<String>], isBackground: Bool) {
    var calls: [Plan.Call] = []
    for words in sequence {
      guard let name = words.first, let command = workspace.host.command(named: name) else {
        let name = words.first ?? ""
        let hint = workspace.host.meaning(of: name)?.hint ?? ""
        return complain("unknown command '\(name)'" + hint)
      }
      if words.contains("--help") { return document(name) }
      do {
        calls.append(
          Plan.Call(command, try command.input(from: Array(words.dropFirst()), prompting: true)))
      } catch {
        return isInterrupted() ? printer.note("interrupted") : complain("\(error)")
      }
      if isBackground, command.isInteractive {
        return complain("\(name) is interactive: it needs the terminal, so run it without &")
      }
    }
    let name = calls.map(\.command.name).joined(separator: " :: ")
    do {
      let plan = try Plan(sequences: [calls])
      for step in plan.steps {
        step.command.hideSecrets(of: step.input)
        if !step.isLater { try step.command.checkSurroundings() }
      }
      let confirmations = newConfirmations()
      for step in plan.steps { try confirmations.confirm(step.call) }
      run(plan, of: name, isBackground: isBackground)
    } catch {
      isInterrupted() ? printer.note("interrupted") : fail(error, from: name)
    }
  }

  /// True if Ctrl-C was pressed at a question.
  private func isInterrupted() -> Bool {
    guard KeyboardInterrupt.take() else { return false }
    workspace.host.interpreter.clearInterrupt()
    return true
  }

  private func run(_ plan: Plan, of name: String, isBackground: Bool) {
    let before = workspace.jobs.latest
    let run = PlanRun(plan, PlanOptions())
    let requested = RequestedJobs(count: plan.steps.count(where: \.isRequested))
    run.onStart = { [workspace, printer] step, execution in
      workspace.confirmed.add(execution, plan.steps[step].call)
      guard plan.steps[step].isRequested, let job = workspace.jobs[execution.id] else { return }
      requested.jobs.append(job)
      // What it needs is announced by jobs of its own.
      if isBackground, job.isActive { printer.note(job.label) }
    }
    run.onEnd = { [unowned self] step, end in
      switch end {
      // Jobs report their ends themselves.
      case .completed, .failed, .cancelled, .unbegun: break
      case .refused(let failure), .skipped(let failure):
        var failure = failure
        failure.command = plan.steps[step].command.name
        fail(failure, from: plan.steps[step].command.name)
      }
    }
    workspace.start(run)
    if isBackground { return }
    for index in 0..<requested.count {
      if wait(until: { requested.jobs.count > index || run.isOver }) {
        workspace.host.interpreter.clearInterrupt()
        run.cancel()
        return printer.note("interrupted")
      }
      guard requested.jobs.count > index else {
        if run.isOver || session.isEnding { return }
        run.cancel()
        return fail(Failure.stuck("the run"), from: name)
      }
      let job = requested.jobs[index]
      follow(job, isOwn: job.id > before)
    }
  }
}

/// The jobs of the calls of a sequence, in the order in which they begin. On the loop's thread.
private final class RequestedJobs {
  /// The number of calls.
  let count: Int
  var jobs: [Job] = []

  init(count: Int) { self.count = count }
}
