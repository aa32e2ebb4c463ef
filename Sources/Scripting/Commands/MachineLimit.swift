import Commands
import Digests
import EventLoop
import Platform
import Reactive

/// The limit of a command with `across = "machine"`: its executions in all processes of the user count
/// together. Commands of one name share it, whatever folder they are in. Confined to the loop's thread.
final class MachineLimit {
  private let places: SharedPlaces

  /// - Parameter name: that of the command.
  init(_ name: String, on loop: EventLoop) {
    var digest = SHA256()
    digest.update(part: name)
    places = SharedPlaces(String(digest.finish().hexadecimal.prefix(24)), on: loop)
  }

  /// Takes a place for an execution, as the command's `when_busy` decides if all are held.
  ///
  /// - Parameters:
  ///   - waits: true if the execution waits whatever that is.
  ///   - proceed: called once, at once or on the loop's thread, with the failure if there is no place.
  func admit(
    _ execution: ScriptExecution, waits: Bool, in subscription: CompoundDisposable,
    _ proceed: @escaping (Failure?) -> Void
  ) {
    let command = execution.scriptCommand
    guard command.concurrencyLimit != .unlimited else { return proceed(nil) }
    let count = { [unowned(unsafe) command] in command.concurrencyLimit.count }
    do throws(SharedPlacesError) {
      if let place = try places.take(of: count()) {
        hold(place, for: execution)
        return proceed(nil)
      }
    } catch { return proceed(failure(error, of: command)) }
    if !waits {
      switch command.whenBusy {
      case .reject:
        return proceed(
          Failure(.notEnabled, "the command '\(command.name)' is not enabled: \(holderText)"))
      case .restart: places.claimOldest()
      case .queue, .join: break
      }
    }
    command.host.observers.waits("'\(command.name)' waits: \(holderText)")
    let pause = execution.pauseTimeLimit()
    let end = places.take(of: count) { [self, unowned(unsafe) command] result in
      pause.end()
      switch result {
      case .success(let place):
        hold(place, for: execution)
        proceed(nil)
      case .failure(let error): proceed(failure(error, of: command))
      }
    }
    subscription.add(onLoop { end() })
  }

  private func hold(_ place: SharedPlace, for execution: ScriptExecution) {
    execution.machinePlace = place
    guard case .restart = execution.scriptCommand.whenBusy else { return }
    place.onWanted(on: execution.scriptCommand.host.loop) { [weak execution] in
      guard let execution else { return }
      let command = execution.scriptCommand
      command.host.observers.waits(
        "'\(command.name)' makes room for its execution in another process")
      execution.cancel()
    }
  }

  private func failure(_ error: SharedPlacesError, of command: ScriptCommand) -> Failure {
    Failure(
      .spawn,
      "the limit of '\(command.name)' over this machine cannot be kept: \(error.description)")
  }

  /// Who executes the command, as the end of a sentence.
  private var holderText: String {
    let holders = places.holders
    guard let holder = holders.first else { return "another process is executing it" }
    let more = holders.count > 1 ? ", and \(holders.count - 1) more" : ""
    return "process \(holder.process) in \(holder.folder) has been executing it "
      + "since \(localTimeText(holder.since))\(more)"
  }
}
