import Platform
import Scripting

/// What a hub tells of a service or of its executions, as long as its client wants to know. On the loop's
/// thread.
package final class HubStream: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// The last line of each stream of a hub that ends as it should.
  package static let endOfHub = JSONValue.object([("hub", .string("ended"))])

  /// True for that line, and for the last event of a panel, which a hub is.
  private static func isEnd(_ line: JSONValue) -> Bool {
    line[field: "hub"] != nil || line[field: "type"]?.string == "ending"
  }

  package enum Event {
    case line(JSONValue)
    /// The hub was killed; the stream goes on with its successor.
    case lost
    /// The hub has ended, because somebody wanted that.
    case ended
    /// No hub runs, and none is to be started.
    case absent
    case failed(HubError)
  }

  private let client: HubClient
  /// What `send` sends.
  package var request: HubRequest
  private var absence: HubClient.Absence
  private var receive: (Event) -> Void
  private var call: HubClient.Call?
  /// True once its client has ended it.
  private(set) var isOver = false
  /// True once the hub has told something.
  private var hasBegun = false
  /// True once the hub has reported that it ends.
  private var hasHubEnded = false
  /// How often the hub was lost without having told anything.
  private var losses = 0
  /// Called when no hub runs: `send` lets it go on.
  package var onIdle: () -> Void = {}
  /// Called when the hub refuses it, or cannot be asked: `send` asks the next one.
  package var onRefusal: () -> Void = {}

  private static let mostLosses = 3

  package init(
    _ client: HubClient, _ request: HubRequest, _ absence: HubClient.Absence,
    _ receive: @escaping (Event) -> Void
  ) {
    (self.client, self.request, self.absence, self.receive) = (client, request, absence, receive)
  }

  /// Marks the lines of events.
  private static let data = Array("data: ".utf8)

  package func send() {
    guard !isOver else { return }
    (hasBegun, hasHubEnded) = (false, false)
    let call = client.send(request, absence)
    self.call = call
    call.onLine = { [weak self] line in
      let text = line.starts(with: Self.data) ? line[Self.data.count...] : line[...]
      guard let self, let json = JSONValue(text: String(decoding: text, as: UTF8.self)) else {
        return
      }
      (hasBegun, losses) = (true, 0)
      guard !Self.isEnd(json) else { return hasHubEnded = true }
      receive(.line(json))
    }
    call.onEnd = { [weak self] error in self?.ended(error) }
  }

  private func ended(_ error: HubError?) {
    call = nil
    guard !isOver else { return }
    switch error {
    case nil where hasHubEnded:
      // That was no kill: none is started for this.
      absence = .fail
      onIdle()
      receive(.ended)
    case nil:
      losses += hasBegun ? 0 : 1
      guard losses < Self.mostLosses else {
        onRefusal()
        return receive(
          .failed(.lost(file: client.place.commandFile, log: client.place.log)))
      }
      receive(.lost)
      send()
    case .notRunning:
      onIdle()
      receive(.absent)
    case let error?:
      onRefusal()
      receive(.failed(error))
    }
  }

  /// Ends the use: tells the hub so, and keeps the loop alive until the hub has ended what nobody uses
  /// any more.
  ///
  /// - Parameters:
  ///   - onKilled: called with each service whose processes had to be killed then.
  ///   - done: called once the hub has.
  package func end(
    _ onKilled: @escaping (KilledService) -> Void = { _ in }, _ done: @escaping () -> Void = {}
  ) {
    guard !isOver else { return done() }
    isOver = true
    receive = { _ in }
    guard let call else { return done() }
    self.call = nil
    call.finish(
      { line in
        let json = JSONValue(text: String(decoding: line, as: UTF8.self))
        if let killed = json.flatMap({ KilledService($0) }) { onKilled(killed) }
      }, done)
  }
}
