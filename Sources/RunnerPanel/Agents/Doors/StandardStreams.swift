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
  ) { [session] message in session.output.write(message.text + "\n") }
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
      return try StandardStreamsServer(session, HubTools(client, name: name)).serve(output)
    }
  }

  private init(_ session: Session, _ tools: HubTools) {
    self.session = session
    self.tools = tools
    tools.onListChange = { [unowned self] in conversation.listHasChanged() }
  }

  private func serve(_ output: Int32?) throws -> Int32 {
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
