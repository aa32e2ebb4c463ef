import EventLoop
import Platform
import RunnerCore

/// A connection for questions that are answered one after the other, while nothing else runs.
package final class ServerQuestions {
  package let address: ServerAddress
  private let loop: EventLoop
  private let link: ServerLink
  private var failure: ServerError?

  package init(_ address: ServerAddress) throws {
    self.address = address
    loop = try EventLoop()
    link = ServerLink(address, on: loop)
    link.onFailure = { [unowned self] in failure = $0 }
    link.report(
      to: Report(
        style: Style(option: nil, descriptor: STDERR_FILENO), isQuiet: false, isVerbose: false))
  }

  deinit {
    link.close()
    loop.close()
  }

  /// Sends a statement and waits for its rows.
  func ask(_ statement: String, _ parameters: [ServerValue] = []) throws -> ServerRows {
    var answer: Result<ServerRows, ServerError>?
    link.send(statement, parameters) { answer = $0 }
    while answer == nil, failure == nil { loop.runOnce() }
    if let failure { throw failure }
    guard let answer else { throw ServerError.closed }
    return try answer.get()
  }
}
