import EventLoop
import Platform
import Scripting

/// Reports of a client that waits for its hub.
extension HubClient {
  /// The time after which a call without an answer reports what it waits for.
  static let patience = Duration.seconds(1)

  /// Reports what a call without an answer waits for.
  func reportWait(for call: Call) {
    guard call.exchange != nil, let names = call.request.services else { return reportSilence() }
    reportWait(for: names) { [weak call] in call?.isOver == false }
  }

  /// Reports that services start or end slowly.
  ///
  /// - Parameter isWaiting: returns true as long as somebody waits for them.
  func reportWait(for names: [ServiceName], while isWaiting: @escaping () -> Bool) {
    let look = send(HubRequest("GET", "hub"), .fail)
    self.look = look
    var answer: [UInt8] = []
    look.onLine = { answer += $0 }
    look.onEnd = { [weak self] error in
      guard let self, isWaiting(), error == nil else { return }
      let listing = JSONValue(text: String(decoding: answer, as: UTF8.self))
      for wait in HubListing.waits(for: names, in: listing ?? .null) { report.say(wait) }
    }
  }

  /// Reports that the hub does not answer at all, once.
  private func reportSilence() {
    guard !hasReportedSilence else { return }
    hasReportedSilence = true
    let file = place.commandFile
    if let start {
      if start.predecessor != nil { return reportPredecessor() }
      return report.say("waiting for the hub of \(file) to start")
    }
    let number = place.process.map { " (pid \($0))" } ?? ""
    report.say("waiting for the hub of \(file)\(number), which has not answered for a second")
  }

  /// Reports that the hub is started only after the end of an earlier one, if the start takes long.
  func reportPredecessor() {
    guard hasReportedSilence, let process = start?.predecessor else { return }
    report.say(
      "waiting for the hub of \(place.commandFile) (pid \(process)), whose files were removed, to end"
    )
  }
}
