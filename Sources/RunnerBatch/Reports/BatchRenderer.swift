import Platform
import RunnerCore
import Scripting

extension Session {
  /// The renderer of a batch's events that the options choose.
  package func batchRenderer(_ line: CommandLine) -> any EventRenderer {
    if line.has(.json) { return JSONRenderer(output) }
    if line.isForAgents { return AgentRenderer(output) { $0.recordedAs } }
    var style = LayoutStyle(
      values: Style(option: line[.color], descriptor: STDOUT_FILENO), errors: report.style)
    style.values.passOn()
    style.names = host.commands.map(\.name)
    style.hasHeadings = !report.isQuiet
    style.isGitHub = report.isGitHub
    let mode = line[.output].flatMap(OutputMode.init) ?? (style.isGitHub ? .group : .interleave)
    return TextRenderer(mode.layout(output, style), output, report, total: nil) {
      [unowned self] in isEnding
    }
  }
}
