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

  /// Executes a command by its name and arguments, as `raclette run` does: asks for what is missing
  /// and for confirmation, then executes what the command needs, and evaluates its condition at last.
  func runCommand(_ words: [String], isBackground: Bool) {
    guard let name = words.first else { return complain("usage: :run COMMAND [ARGS] [&]") }
    guard let command = workspace.host.command(named: name) else {
      let names = workspace.host.commands.flatMap { [$0.name] + $0.aliases }
      return complain("unknown command '\(name)'" + didYouMean(name, among: names))
    }
    if words.contains("--help") { return document(name) }
    let input: LuaValue
    do {
      input = try command.input(from: Array(words.dropFirst()), prompting: true)
    } catch {
      return isInterrupted() ? printer.note("interrupted") : complain("\(error)")
    }
    if isBackground, command.isInteractive {
      return complain("\(name) is interactive: it needs the terminal, so run it without &")
    }
    do {
      let plan = try Plan([Plan.Call(command, input)])
      for step in plan.steps {
        step.command.hideSecrets(of: step.input)
        try step.command.checkSurroundings()
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
    let requested = Once<Job>()
    run.onStart = { [workspace, printer] step, execution in
      workspace.confirmed.add(execution, plan.steps[step].call)
      guard plan.steps[step].isRequested, let job = workspace.jobs[execution.id] else { return }
      requested.value = job
      // What it needs is announced by jobs of its own.
      if isBackground, job.isActive { printer.note(job.label) }
    }
    run.onEnd = { [unowned self] step, end in
      switch end {
      // Jobs report their ends themselves.
      case .completed, .failed, .cancelled: break
      case .refused(let failure), .skipped(let failure):
        var failure = failure
        failure.command = plan.steps[step].command.name
        fail(failure, from: plan.steps[step].command.name)
      }
    }
    workspace.start(run)
    if isBackground { return }
    if wait(until: { requested.value != nil || run.isOver }) {
      workspace.host.interpreter.clearInterrupt()
      run.cancel()
      return printer.note("interrupted")
    }
    if let job = requested.value { return follow(job, isOwn: job.id > before) }
    if run.isOver || session.isEnding { return }
    run.cancel()
    fail(Failure.stuck("the run"), from: name)
  }
}
