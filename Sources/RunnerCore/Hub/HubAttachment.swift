import LuaRuntime
import Platform
import Scripting

/// A look at an execution of a hub: from its beginning to its end. On the loop's thread.
package final class HubAttachment {
  private let session: Session
  private let line: CommandLine
  private let number: Int64
  private let stream: EventStream
  private let decoder: EventDecoder
  /// The status that the execution has ended with; nil while it has not.
  private var status: Int32?

  package init(_ line: CommandLine, _ number: Int64, in session: Session) {
    self.line = line
    self.number = number
    self.session = session
    let style = LayoutStyle(
      values: Style(option: line[.color], descriptor: STDOUT_FILENO), errors: session.report.style)
    style.values.passOn()
    let mode = line[.output].flatMap(OutputMode.init) ?? .interleave
    let renderer = TextRenderer(
      mode.layout(session.output, style), session.output, session.report, total: 1
    ) { session.isEnding }
    stream = EventStream(session.host, [renderer])
    decoder = EventDecoder(stream, in: session)
  }

  /// Shows the execution to its end.
  ///
  /// - Returns: the exit status of the execution, as that of a run.
  /// - Throws: `HubError`.
  package func show(_ client: HubClient) throws -> Int32 {
    // A hub that is not there any more has written down what it executed.
    let hasHistory = access(client.place.history, F_OK) == 0
    let call = client.send(
      HubRequest("GET", "executions/\(number)/events"), hasHistory ? .start : .fail)
    var end: HubError??
    call.onLine = { [unowned self] in take($0) }
    call.onEnd = { end = .some($0) }
    session.wait { end != nil || session.isEnding }
    call.cancel()
    if let error = end ?? nil { throw error }
    if session.isEnding, status == nil {
      session.report.say("execution \(number) continues; to end it: raclette :cancel \(number)")
      return ExitStatus.failure
    }
    guard let status else {
      throw HubError.lost(file: client.place.commandFile, log: client.place.log)
    }
    if !line.has(.json) { stream.finish(exitCode: status) }
    return status
  }

  private func take(_ line: [UInt8]) {
    let start = Array("data: ".utf8)
    guard line.starts(with: start) else { return }
    let text = String(decoding: line.dropFirst(start.count), as: UTF8.self)
    guard let event = EncodedEvent(ofHub: text[...]) else { return }
    let isOwn = event.entry == number
    if isOwn, event.isEnd {
      status =
        switch event.type {
        case "completed": ExitStatus.success
        case "error": event.failure?.exitStatus(ofSingle: true) ?? ExitStatus.failure
        default: ExitStatus.failure
        }
    }
    if self.line.has(.json) { return session.output.write(text + "\n") }
    switch event.type {
    case "gap", "lost":
      session.report.say("\(event["missed"]?.integer ?? 0) outputs are no longer kept")
    default: decoder.send(event)
    }
  }
}
