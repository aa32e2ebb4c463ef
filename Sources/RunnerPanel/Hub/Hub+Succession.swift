import LuaRuntime
import RunnerCore
import Scripting

/// What a hub takes over from one that was killed.
extension Hub {
  /// Holds what the predecessor held, and keeps the numbers of the executions that were lost with it.
  ///
  /// - Returns: what there is to say of it.
  func take(over inheritance: HubInheritance) -> [String] {
    for lost in inheritance.executions.sorted(by: { $0.number < $1.number }) {
      // It had ended just before.
      if panel.executions[lost.number] != nil { continue }
      let execution = PanelExecution(lost.number, of: lost.command, input: lost.input)
      panel.executions.add(execution)
      panel.noteEnd(
        of: execution, as: .failed,
        inheritance.isOfThisSystem ? Failure.lostWithHub : Failure.lostWithSystem)
    }
    let news = inheritance.held.sorted { $0.name < $1.name }.map { held in
      guard let reason = hold(held, again: inheritance.isOfThisSystem) else {
        return "\(held.name) is brought up again: the hub that held it was killed"
      }
      return "\(held.name) is no longer held: \(reason)"
    }
    recordHeld()
    return news
  }

  /// Holds a service again.
  ///
  /// - Returns: why that is not possible; nil if it is.
  private func hold(_ held: HubInheritance.Held, again isOfThisSystem: Bool) -> String? {
    guard isOfThisSystem else { return "the system was started again" }
    guard let text = held.input else { return "its input holds a secret, which is not recorded" }
    guard let command = session.host.command(named: held.name), command.isService else {
      return "the command file has no such service"
    }
    do throws(InputError) {
      let input =
        text.isEmpty
        ? try command.input(from: []) : try command.checked(try command.host.value(json: text))
      holder.hold(command, input)
      return nil
    } catch { return "\(error)" }
  }
}

extension Failure {
  fileprivate static let lostWithHub = Failure(.lost, "it was lost with the hub that was killed")
  fileprivate static let lostWithSystem = Failure(
    .lost, "it was lost as the system was started again")
}
