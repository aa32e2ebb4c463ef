import EventLoop
import Platform
import RunnerCore
import Scripting

/// A server of the Model Context Protocol on the standard streams: messages are lines. On the loop's
/// thread.
package final class StandardStreamsServer: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private let session: Session
  private let tools: HubTools
  private lazy var conversation = MCPConversation(
    tools, session: "stdio", ToolCallNumbers(), hasBackChannel: true, client: nil
  ) { [unowned self] message in write(message) }
  /// Where messages go; nil where standard output has no descriptor of its own.
  private let output: Int32?
  private var input: StandardInput?
  private var lines = LineSplitter(limit: StandardStreamsServer.longest)
  /// The pieces of a line that is longer than the limit.
  private var isTooLong = false
  private var hasEnded = false
  private var reader: DescriptorWatch?
  private var isReaderGone = false

  /// The most bytes of a message.
  private static let longest = 4 << 20

  /// `mcp`: serves until the client closes standard input, or a signal ends the program.
  package static func serve(_ line: CommandLine) throws -> Int32 {
    // Only messages go to standard output.
    let output = Terminal.reserveOutput()
    return try HubSession.use(line) { session, client in
      let name = try RandomText.make(bytes: 12)
      return try StandardStreamsServer(session, HubTools(client, name: name), output).serve()
    }
  }

  private init(_ session: Session, _ tools: HubTools, _ output: Int32?) {
    self.session = session
    self.output = output
    self.tools = tools
    tools.onListChange = { [unowned self] in conversation.listHasChanged() }
  }

  private func serve() throws -> Int32 {
    let input = try session.loop.standardInput(
      onChunk: { [unowned self] in receive($0) },
      onEnd: { [unowned self] _ in
        lines.finish { take($0, endsLine: true) }
        hasEnded = true
      })
    self.input = input
    input.resume()
    if let output { watch(output) }
    // The answers to what the client has asked before it closed its end are still read.
    session.wait {
      session.isEnding || isReaderGone || hasEnded && !conversation.isBusy
    }
    input.close()
    reader?.cancel()
    conversation.close()
    var isLeft = false
    tools.leave { isLeft = true }
    session.wait { isLeft }
    return ExitStatus.success
  }

  /// Writes a message whole, however long the client takes to read those before.
  ///
  /// The loop watches the descriptor, which is therefore non-blocking: the C library's streams lose what
  /// does not fit.
  private func write(_ message: JSONValue) {
    let text = message.text + "\n"
    guard let output else { return session.output.write(text) }
    let code = text.withExactBytes { bytes in
      Secrets.masked(bytes)?.withUnsafeBytes { Terminal.write($0, to: output) }
        ?? Terminal.write(bytes, to: output)
    }
    if code != 0 { isReaderGone = true }
  }

  /// Notices that the client reads no answers any more.
  private func watch(_ output: Int32) {
    // A file has no reader, and cannot be watched.
    reader = try? session.loop.watchDescriptor(output) { [unowned self] in
      var state = pollfd(fd: output, events: 0, revents: 0)
      guard poll(&state, 1, 0) == 1, state.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
      isReaderGone = true
      reader?.cancel()
    }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    lines.append(bytes) { piece in
      take(piece.bytes, endsLine: piece.endsLine)
      return true
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer, endsLine: Bool) {
    guard endsLine, !isTooLong else {
      isTooLong = !endsLine
      if endsLine {
        conversation.refuse(
          RPCRejection(nil, .request("a message has at most \(Self.longest >> 20) MiB")))
      }
      return
    }
    // Empty lines are no messages.
    guard bytes.contains(where: { ![9, 13, 32].contains($0) }) else { return }
    conversation.receive(bytes)
  }
}
