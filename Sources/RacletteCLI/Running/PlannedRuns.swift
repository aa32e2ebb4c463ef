import LuaRuntime
import Platform
import Scripting

/// Makes the runs of one call: one, or with `--watch` many. However often the command file is loaded
/// for them, events are one stream, and there is one record.
final class PlannedRuns {
  private let line: CommandLine
  private let session: Session
  /// Shows events to programs; nil where people are shown them.
  private let json: JSONRenderer?
  private let recorder: RunRecorder?

  /// - Parameter journal: where runs are recorded; nil for nowhere.
  init(_ line: CommandLine, journal: String?, in session: Session) throws {
    self.line = line
    self.session = session
    json = line.has(.json) ? JSONRenderer(session.output) : nil
    recorder = try journal.map { try RunRecorder($0, session.output, session.report) }
  }

  /// Makes runs of a plan that have not started.
  func runs(of plan: Plan) -> () -> CommandRun {
    let options = PlanOptions(
      jobs: line.count(.jobs), keepsGoing: line.has(.keepGoing), timeout: line.duration(.timeout))
    var renderers: [any EventRenderer] = [json ?? textRenderer(of: plan)]
    session.statusLine = StatusLine(session.host, session.report, total: plan.steps.count)
    if let statusLine = session.statusLine { renderers.append(statusLine) }
    if let recorder { renderers.append(recorder) }
    return { [session, json, renderers] in
      let stream = EventStream(session.host, renderers)
      // For programs only: it is no news to people, and thousands of commands have many.
      if json != nil { stream.followConditions(of: plan) }
      return CommandRun(session, plan, options, stream)
    }
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
    return TextRenderer(mode.layout(session.output, style), session.output, session.report) {
      [session] in session.isEnding
    }
  }
}
