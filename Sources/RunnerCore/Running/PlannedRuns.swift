import LuaRuntime
import Platform
import Scripting

/// Creates the runs of one call: a single one, or many with `--watch`. However often the command
/// file is loaded for them, they share one event stream and one record.
package final class PlannedRuns {
  private let line: CommandLine
  private let session: Session
  /// Renders events as JSON; nil if they are rendered as text.
  private let json: JSONRenderer?
  private let recorder: RunRecorder?
  private let trace: Trace?
  /// What the runs use between them, if they are rounds.
  package var kept: KeptServices?
  /// The interpreter whose processes the trace follows.
  private var traced: ScriptHost?

  /// - Parameter journal: the file that records the runs; nil for none.
  package init(_ line: CommandLine, journal: String?, in session: Session) throws {
    self.line = line
    self.session = session
    json = line.has(.json) ? JSONRenderer(session.output) : nil
    recorder = try journal.map { try RunRecorder($0, session.output, session.report) }
    trace = try session.makeTrace(line, named: "raclette run")
  }

  /// Returns a function that creates runs of a plan without starting them.
  package func runs(of plan: Plan) -> () -> CommandRun {
    let options = PlanOptions(
      jobs: line.count(.jobs), keepsGoing: line.has(.keepGoing), timeout: line.duration(.timeout))
    var renderers: [any EventRenderer] = [renderer(of: plan)]
    session.statusLine = StatusLine(
      session.host, session.report, total: plan.steps.count { !$0.call.command.isService })
    if let statusLine = session.statusLine { renderers.append(statusLine) }
    if let recorder { renderers.append(recorder) }
    if let trace {
      renderers.append(trace)
      if traced !== session.host { session.follow(by: trace) }
      traced = session.host
    }
    return { [session, json, renderers, kept] in
      let stream = EventStream(session, renderers)
      // Only for programs: people do not need it, and thousands of commands have many events.
      if json != nil { stream.followConditions(of: plan) }
      let run = CommandRun(session, plan, options, stream)
      run.keepServices(in: kept)
      return run
    }
  }

  private func renderer(of plan: Plan) -> any EventRenderer {
    if let json { return json }
    guard line.isForAgents else { return textRenderer(of: plan) }
    Style(option: line.color, descriptor: STDOUT_FILENO).passOn()
    return AgentRenderer(session.output) { [recorder] in recorder?.number(of: $0) }
  }

  private func textRenderer(of plan: Plan) -> TextRenderer {
    let isParallel = plan.steps.count > 1
    var style = LayoutStyle(
      values: Style(option: line[.color], descriptor: STDOUT_FILENO), errors: session.report.style)
    style.values.passOn()
    style.names = plan.steps.map(\.command.name)
    style.hasHeadings = isParallel && !session.report.isQuiet
    style.isGitHub = isParallel && session.report.isGitHub
    let mode =
      line[.output].flatMap(OutputMode.init) ?? (style.isGitHub ? .group : .interleave)
    return TextRenderer(
      mode.layout(session.output, style), session.output, session.report, total: plan.steps.count
    ) { [session] in session.isEnding }
  }
}
