import Commands
import EventLoop
import Platform
import Reactive

extension ScriptCommand {
  /// The amounts that each of its executions uses.
  package var resources: Resources { policy.resources }

  /// The reason why this process can never execute it, given what it uses; nil if it can.
  package var resourceProblem: String? { resourceFailure()?.message }

  /// Who has what another execution of it would wait for, or waits for that already; nil if it would begin
  /// at once.
  private var resourceHolders: String? {
    guard !resources.isEmpty, resourceProblem == nil else { return nil }
    return host.policy.resources.pool.holders(of: resources)
  }

  /// The executions that another one of it would wait for, or be refused for: those in other processes that
  /// have all places of its limit over the machine, or what it uses. A sentence without its period; nil if
  /// there are none.
  public var busyReason: String? { machineObstacle ?? resourceHolders }

  /// The failure of executions that can never have what they use; nil if they can.
  ///
  /// - Parameter execution: the one around them, whose promise they share; nil outside.
  func resourceFailure(within execution: ScriptExecution? = nil) -> Failure? {
    let holder = execution?.resourceHolder
    let pool = holder?.grant?.pool ?? host.policy.resources.pool
    guard !resources.isEmpty, let problem = pool.problem(with: resources) else { return nil }
    var failure: Failure
    if let holder {
      // It would wait for others while others wait for what the outer one has.
      failure = Failure(
        .user,
        "'\(name)' uses \(resources.text) inside '\(holder.scriptCommand.name)', which uses "
          + "\(holder.scriptCommand.resources.text): it can only use a part of that")
    } else {
      let limit = host.policy.resources.limit(on: resources).map { "; \($0)" } ?? ""
      failure = Failure(.user, "'\(name)' uses \(resources.text), but \(problem)\(limit)")
    }
    failure.command = name
    return failure
  }
}

extension ScriptExecution {
  /// The executions around this one, and itself, that share their resources with those inside them, the
  /// innermost first.
  private var resourceHolders: some Sequence<ScriptExecution> {
    sequence(first: self, next: \.outer).lazy.filter { $0.grant != nil && $0.isWorking }
  }

  /// The innermost of them.
  var resourceHolder: ScriptExecution? { resourceHolders.first { _ in true } }

  /// The outermost of them.
  var outermostHolder: ScriptExecution? { resourceHolders.reduce(nil) { $1 } }

  /// Gives back what it does not use yet.
  func giveBack() {
    grant?.release()
    grant = nil
  }

  /// Gives back what it has for an attempt that has not begun; an earlier one may have used it.
  func giveBackResources() {
    guard let grant else { return }
    scriptCommand.host.policy.resources.idle.remove(self)
    if hasResourceVariables {
      place?.variables.removeAll { known in grant.variables.contains { $0 == known } }
      hasResourceVariables = false
    }
    giveBack()
  }

  /// Waits until the services that the execution uses are ready and its resources are free, which its
  /// time limit does not count.
  func takeWhatItUses(
    in subscription: CompoundDisposable, _ proceed: @escaping (Failure?) -> Void
  ) {
    guard services.areReady else {
      return awaitServices(in: subscription) { [self] in
        takeWhatItUses(in: subscription, proceed)
      }
    }
    let resources = scriptCommand.resources
    if resources.isEmpty { return proceed(nil) }
    if let grant {
      scriptCommand.host.policy.resources.idle.remove(self)
      if !hasResourceVariables { place?.variables += grant.variables }
      hasResourceVariables = true
      return proceed(nil)
    }
    // Another attempt would change nothing.
    if let failure = scriptCommand.resourceFailure(within: outer) { return fail(failure) }
    var pause: TimeLimitPause?
    let waiting = scriptCommand.takeResources(within: outer, rank: .execution, in: subscription) {
      [self] grant in
      holdIdly(grant)
      pause?.end()
      takePlace(in: subscription) { [self] failure in
        if let failure { return proceed(failure) }
        takeWhatItUses(in: subscription, proceed)
      }
    }
    guard waiting else { return }
    pause = pauseTimeLimit()
    guard let place = machinePlace else { return }
    // A child of the execution that has the resources may wait for the place. It was admitted: it waits
    // for another one.
    waitsForPlace = true
    machinePlace = nil
    place.release()
  }

  /// Keeps what it may use until its work begins, unless that is reclaimed.
  func holdIdly(_ grant: ResourceGrant) {
    self.grant = grant
    scriptCommand.host.policy.resources.idle.add(self) { [weak self] in self?.giveBack() }
  }
}

extension ScriptCommand {
  /// Takes what one of its executions uses, once it is free. Reports each second by whom it is held.
  ///
  /// - Parameter rank: that of what waits. All but requests that nothing waits for reclaim idle grants.
  /// - Parameter taken: called once, perhaps inside this call.
  /// - Returns: true if it was not called yet.
  @discardableResult
  func takeResources(
    within execution: ScriptExecution?, rank: ResourcePool.Rank,
    in subscription: CompoundDisposable, _ taken: @escaping (ResourceGrant) -> Void
  ) -> Bool {
    let budget = host.policy.resources
    let pool = execution?.resourceHolder?.grant?.pool ?? budget.pool
    var timer: Timer?
    let waiting = subscription.makeChild()
    var isTaken = false
    let giveUp = pool.take(resources, for: name, rank: rank) { [self] grant in
      isTaken = true
      if let timer {
        timer.cancel()
        host.resourceWaits.end(name)
      }
      waiting.dispose()
      taken(grant)
    }
    guard let giveUp else { return false }
    if rank != .request { budget.idle.reclaim() }
    if isTaken { return false }
    timer = host.loop.timer(after: .seconds(1), every: .seconds(1)) { [self] in
      // What is waited for keeps the loop running, if there is any.
      timer?.unref()
      guard let holder = pool.holders(of: resources) else { return }
      let contention = host.resourceWaits.report(
        name, resources, holder: holder, at: EventLoop.now)
      if let contention { host.observers.waits(contention) }
    }
    waiting.add(
      onLoop {
        timer?.cancel()
        giveUp()
      })
    return true
  }
}
