/// The cancellation of a batch or of one entry.
package enum Cancellation {
  /// Cancels what a number names, and returns what that did, in words.
  ///
  /// - Throws: `CancellationProblem` if there is no such number, or it has ended.
  package static func cancel(_ number: Int64, _ questions: ServerQuestions) throws -> String {
    let found = try questions.ask(SQL.read_target, [.integer(Int(number))])
    guard found.count > 0, let kind = found.text(0, 0) else {
      throw CancellationProblem.unknown(number, questions.address.name)
    }
    let what = kind == "batch" ? "batch \(number)" : "#\(number) (\(found.text(0, 1) ?? ""))"
    if let state = found.text(0, 2) { throw CancellationProblem.ended(what, state) }
    let rows = try questions.ask(
      "SELECT waiting, running FROM raclette.cancel_\(kind)($1)", [.integer(Int(number))])
    let (waiting, running) = (rows.integer(0, 0), rows.integer(0, 1))
    var parts: [String] = []
    if kind == "entry" {
      if waiting > 0 { parts.append("it had not begun") }
      if running > 0 { parts.append("its worker ends it") }
    } else {
      if waiting > 0 { parts.append("\(waiting) that waited") }
      if running > 0 { parts.append("\(running) that workers hold and now end") }
    }
    guard !parts.isEmpty else { return "\(what): nothing was left to cancel" }
    return "cancelled \(what): " + parts.joined(separator: ", ")
  }
}

/// The reason why nothing was cancelled.
enum CancellationProblem: Error, Equatable, CustomStringConvertible {
  case unknown(Int64, String)
  case ended(String, String)

  var description: String {
    switch self {
    case .unknown(let number, let server):
      "there is neither a batch nor an execution \(number) on \(server)"
    case .ended(let what, let state): "\(what) has ended already (\(state))"
    }
  }
}
