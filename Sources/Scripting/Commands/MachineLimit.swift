import Commands
import Digests
import EventLoop
import Platform
import Reactive

/// A limit of a command's executions in all processes of the user together. Confined to the loop's thread.
final class MachineLimit {
  private let places: SharedPlaces
  /// True for work whose result is kept, which one execution does at a time; false for a command with
  /// `across = "machine"`, whose `concurrency` and `when_busy` count.
  private let isOfKeptWork: Bool

  /// The limit of a command with `across = "machine"`, which commands of one name share, whatever folder
  /// they are in.
  ///
  /// - Parameter name: that of the command.
  init(_ name: String, on loop: EventLoop) {
    places = SharedPlaces(Self.key(name), on: loop)
    isOfKeptWork = false
  }

  /// The limit of the executions of one command with one input, whose result is kept.
  ///
  /// - Parameters:
  ///   - key: what identifies them in the store.
  ///   - store: what identifies the store on this machine.
  init(ofWorkKept key: [UInt8], in store: String, on loop: EventLoop) {
    var digest = SHA256()
    digest.update(part: store)
    digest.update(part: key)
    places = SharedPlaces("kept-\(digest.finish().hexadecimal.prefix(24))", on: loop)
    isOfKeptWork = true
  }

  /// What the places of the commands of a name belong to.
  static func key(_ name: String) -> String {
    var digest = SHA256()
    digest.update(part: name)
    return String(digest.finish().hexadecimal.prefix(24))
  }

  /// Takes a place for an execution, as the command's `when_busy` decides if all are held.
  ///
  /// - Parameter proceed: called once, at once or on the loop's thread, with the failure if there is no
  ///   place.
  func admit(
    _ execution: ScriptExecution, in subscription: CompoundDisposable,
    _ proceed: @escaping (Failure?) -> Void
  ) {
    let command = execution.scriptCommand
    guard counts(command) else { return proceed(nil) }
    if case .reject = command.whenBusy, !execution.waitsForPlace {
      do throws(SharedFilesError) {
        let count = command.concurrencyLimit.count
        guard let place = try places.take(of: count) else {
          // Another attempt would be another execution.
          return execution.fail(
            Failure(
              .notEnabled,
              "the command '\(command.name)' is not enabled: \(text(of: places.holders(of: count)))"
            ))
        }
        settle(place, for: command, in: subscription) { [self] place in
          hold(place, for: execution)
          proceed(nil)
        }
        return
      } catch { return proceed(failure(error, of: command)) }
    }
    var pause: TimeLimitPause?
    let waits = take(for: command, in: subscription) { [self] result in
      pause?.end()
      switch result {
      case .success(let place):
        hold(place, for: execution)
        proceed(nil)
      case .failure(let failure): proceed(failure)
      }
    }
    if waits { pause = execution.pauseTimeLimit() }
  }

  /// True if the executions of the command are limited at the moment.
  func counts(_ command: ScriptCommand) -> Bool { command.concurrencyLimit != .unlimited }

  private func count(_ command: ScriptCommand) -> Int {
    isOfKeptWork ? 1 : command.concurrencyLimit.count
  }

  /// Takes a place, once one is free.
  ///
  /// - Parameters:
  ///   - onWait: called if the wait is reported; nil if that was done before. A wait for kept work, which
  ///     is often short, is reported after a second.
  ///   - mayClaim: false while the command cannot make use of the place of another process yet.
  ///   - taken: called once, perhaps inside this call.
  /// - Returns: true if it was not called yet.
  @discardableResult
  func take(
    for command: ScriptCommand, onWait: (() -> Void)? = {},
    mayClaim: @escaping () -> Bool = { true }, in subscription: CompoundDisposable,
    _ taken: @escaping (Result<SharedPlace, Failure>) -> Void
  ) -> Bool {
    let count = { [self, unowned(unsafe) command] in self.count(command) }
    do throws(SharedFilesError) {
      if let place = try places.take(of: count()) {
        return settle(place, for: command, in: subscription) { taken(.success($0)) }
      }
    } catch {
      taken(.failure(failure(error, of: command)))
      return false
    }
    let ancestry = Ancestry(of: getpid())
    let isWithinAll = { (holders: [SharedPlaces.Holder]) in
      holders.count >= count()
        && holders.allSatisfy { $0.leaders.contains(where: ancestry.contains) }
    }
    let holders = places.holders(of: count())
    if isWithinAll(holders) {
      taken(.failure(failure(ofWaitWithin: holders, command)))
      return false
    }
    var reported: String?
    let report = { [self, unowned(unsafe) command] (holders: [SharedPlaces.Holder]) in
      let holder = text(of: holders)
      guard holder != reported else { return }
      command.host.observers.waits(
        Contention(
          command: command.name, resources: nil, holder: holder, isFirst: reported == nil))
      reported = holder
    }
    let isTaking = if case .restart = command.whenBusy { !isOfKeptWork } else { false }
    let waiting = subscription.makeChild()
    let end = places.take(
      of: count,
      onBusy: { [self, unowned(unsafe) command] in
        let holders = places.holders(of: count())
        // A holder records a process only after that has begun, and it may be this one.
        if isWithinAll(holders) {
          waiting.dispose()
          return taken(.failure(failure(ofWaitWithin: holders, command)))
        }
        if reported != nil { report(holders) }
        if isTaking, mayClaim() { places.claimOldest() }
      }
    ) { [self, unowned(unsafe) command] result in
      waiting.dispose()
      switch result {
      case .success(let place):
        settle(place, for: command, in: subscription) { taken(.success($0)) }
      case .failure(let error): taken(.failure(failure(error, of: command)))
      }
    }
    waiting.add(onLoop { end() })
    if isOfKeptWork {
      let timer = command.host.loop.timer(after: .seconds(1)) { [self] in
        report(places.holders(of: count()))
      }
      waiting.add(onLoop { timer.cancel() })
    } else if let onWait {
      // Only now, when nobody can overtake it.
      report(holders)
      onWait()
    }
    return true
  }

  /// Ends what a killed holder of a place has left running.
  ///
  /// - Parameter settled: called once, perhaps inside this call.
  /// - Returns: true if it was not called yet.
  @discardableResult
  private func settle(
    _ place: SharedPlace, for command: ScriptCommand, in subscription: CompoundDisposable,
    _ settled: @escaping (SharedPlace) -> Void
  ) -> Bool {
    let loop = command.host.loop
    guard !GroupIdentity.alive(among: place.left).isEmpty else {
      settled(place)
      return false
    }
    let waiting = subscription.makeChild()
    let timer = GroupIdentity.endLeft(place.left, on: loop) { [unowned(unsafe) command] leaders in
      guard !waiting.isDisposed else { return }
      waiting.dispose()
      if !leaders.isEmpty {
        command.host.observers.waits(textOfEnded(leaders, leftBy: command.name))
      }
      settled(place)
    }
    waiting.add(onLoop { timer.cancel() })
    return true
  }

  /// Makes an execution the holder of a place.
  func hold(_ place: SharedPlace, for execution: ScriptExecution) {
    execution.machinePlace = place
    guard case .restart = execution.scriptCommand.whenBusy else { return }
    place.onWanted { [weak execution] in
      guard let execution else { return }
      let command = execution.scriptCommand
      command.host.observers.waits(
        "'\(command.name)' makes room for another execution of it")
      execution.cancel()
    }
  }

  /// The failure of an execution that would wait for those around it.
  private func failure(
    ofWaitWithin holders: [SharedPlaces.Holder], _ command: ScriptCommand
  ) -> Failure {
    Failure(
      .user,
      "'\(command.name)' is executed within itself and would wait for ever: \(text(of: holders)), and "
        + "has started this process")
  }

  private func failure(_ error: SharedFilesError, of command: ScriptCommand) -> Failure {
    Failure(
      .spawn,
      "the limit of '\(command.name)' over this machine cannot be kept: \(error.description)")
  }

  /// The processes that execute the command, if they hold all of its places; else nil. No place is
  /// taken, so the query disturbs no waiting process.
  func obstacle(to command: ScriptCommand) -> String? {
    guard counts(command) else { return nil }
    let count = command.concurrencyLimit.count
    let holders = places.holders(of: count)
    return holders.count < count ? nil : text(of: holders)
  }

  /// Who executes the command, as the end of a sentence.
  private func text(of holders: [SharedPlaces.Holder]) -> String {
    guard let holder = holders.first else { return "another process is executing it" }
    let more = holders.count > 1 ? ", and \(holders.count - 1) more" : ""
    return "process \(holder.process) in \(holder.folder) has been executing it "
      + "since \(localTimeText(holder.since))\(more)"
  }
}

/// The report that process groups were ended that a killed execution of a command had left running.
func textOfEnded(_ leaders: [Int32], leftBy command: String) -> String {
  "'\(command)': ended processes that a killed execution had left running: process "
    + "group\(leaders.count > 1 ? "s" : "") \(leaders.map(String.init).joined(separator: ", "))"
}
