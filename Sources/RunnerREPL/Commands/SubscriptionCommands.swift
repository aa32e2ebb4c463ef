import RunnerCore
import Scripting

extension Repl {
  func listSubscriptions() {
    let subscriptions = workspace.host.subscriptionsOfScripts
    guard !subscriptions.isEmpty else { return printer.show("no subscriptions") }
    printer.show(
      TextColumns.text(
        subscriptions.map { subscription in
          let name = subscription.signalName.map { " '\($0)'" } ?? ""
          let line = subscription.place.flatMap { text(at: $0) } ?? ""
          return (
            "\(subscription.number)  \(subscription.place ?? "")\(name)", line.trimmed.visibleInLine
          )
        }))
  }

  func unsubscribe(_ text: String) {
    for word in text.split(separator: " ") {
      guard let number = Int(word), workspace.host.disposeSubscription(number) else {
        complain("there is no subscription '\(word)'; see :subscriptions")
        continue
      }
    }
  }

  /// The line of an entry or a file at a place, `[3]:1` or `file:12`.
  private func text(at place: String) -> String? {
    guard let colon = place.lastIndex(of: ":"), let line = Int(place[colon...].dropFirst()) else {
      return nil
    }
    let lines = FunctionText.lines(ofChunk: String(place[..<colon]), log)
    return lines.flatMap { $0.indices.contains(line - 1) ? $0[line - 1] : nil }
  }
}
