import LuaRuntime
import Scripting

/// The confirmations of a run: each call of a command with `confirm` is asked about once, at the
/// terminal, before anything is executed for it. On the loop's thread.
package final class Confirmations {
  private let confirmsAll: Bool
  /// True if it may ask at the terminal, if there is one.
  private let asks: Bool
  /// What confirms everything where it cannot ask.
  private let answer: String
  private var confirmed: Set<CallKey> = []

  /// - Parameters:
  ///   - asks: false if nobody is there to ask, whatever standard input is.
  ///   - answer: the option, or the call with it, that confirms everything.
  package init(_ line: CommandLine, asks: Bool, answeredBy answer: String = "--yes") {
    self.answer = answer
    confirmsAll = line.has(.yes)
    self.asks = asks
  }

  /// True if a call needs no question any more.
  package func isConfirmed(_ call: Plan.Call) -> Bool {
    confirmsAll || confirmed.contains(call.key)
  }

  /// Asks about a call, unless it has been confirmed.
  ///
  /// - Throws: `Failure` of kind `input` if nobody can be asked, of kind `user` after another answer
  ///   than yes.
  package func confirm(_ call: Plan.Call) throws(Failure) {
    guard !isConfirmed(call), let question = try call.question() else { return }
    guard asks, TerminalQuestion.isPossible else {
      throw Failure(
        .input, "it asks \"\(question)\", which only \(answer) answers without a terminal")
    }
    let answer = TerminalQuestion(text: "\(call.command.name): \(question) [y/N] ").ask()
    guard ["y", "yes"].contains(answer?.lowercased()) else {
      throw Failure(.user, "not confirmed")
    }
    confirmed.insert(call.key)
  }

  /// Refuses every call, where commands are only looked at.
  package static func refuse(_ call: Plan.Call) throws(Failure) {
    let question = try call.question() ?? ""
    throw Failure(
      .input, "'\(call.command.name)' asks \"\(question)\", which is answered only when it is run")
  }
}

extension Option {
  package static let yes = Option(
    name: .yes, long: "yes", short: "y", help: "answer yes to every 'confirm'")
}
