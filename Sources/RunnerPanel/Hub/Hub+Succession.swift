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
    let held = inheritance.held.sorted { $0.name < $1.name }
    var news: [String] = []
    if let problem = panel.loadProblem, inheritance.isOfThisSystem {
      awaited = inheritance.held
      news = held.map {
        "\($0.key.text) is brought up again once the command file loads: \(problem)"
      }
    } else {
      news = held.map { hold($0, again: inheritance.isOfThisSystem) }
    }
    recordHeld()
    return news
  }

  /// Holds the services that have waited until the command file loads, if it does now.
  func holdAwaited() {
    guard panel.loadProblem == nil, !awaited.isEmpty else { return }
    let held = awaited.sorted { $0.name < $1.name }
    awaited = []
    for held in held { HubLog.note(hold(held, again: true)) }
    recordHeld()
  }

  /// Holds a service again, unless that is not possible.
  ///
  /// - Returns: what there is to say of it.
  private func hold(_ held: HubInheritance.Held, again isOfThisSystem: Bool) -> String {
    guard let reason = obstacle(toHolding: held, again: isOfThisSystem) else {
      return "\(held.key.text) is brought up again: the hub that held it was killed"
    }
    return "\(held.key.text) is no longer held: \(reason)"
  }

  /// Holds a service again.
  ///
  /// - Returns: why that is not possible; nil if it is.
  private func obstacle(
    toHolding held: HubInheritance.Held, again isOfThisSystem: Bool
  ) -> String? {
    guard isOfThisSystem else { return "the system was restarted" }
    guard let text = held.input else { return "its input holds a secret, which is not recorded" }
    guard let command = session.host.command(named: held.name), command.isService else {
      return "the command file has no such service"
    }
    do throws(InputError) {
      let input =
        text.isEmpty
        ? try command.input(from: []) : try command.checked(try command.host.value(json: text))
      // What was recorded is on a disk, and variables are often secrets.
      holder.hold(command, input, for: command.host.environment)
      return nil
    } catch { return "\(error)" }
  }
}

extension Failure {
  fileprivate static let lostWithHub = Failure(.lost, "it was lost with the hub that was killed")
  fileprivate static let lostWithSystem = Failure(
    .lost, "it was lost when the system was restarted")
}
