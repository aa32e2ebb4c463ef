import LuaRuntime
import Platform
import Reactive

extension ScriptExecution {
  /// Prepares an attempt: waits for the enabled condition if it was not known, and for a place if the
  /// limit of the command counts over this machine, determines the working context, asks for
  /// confirmation and the precondition, executes the command's needs unless that has been done, and
  /// calls `proceed`, with the failure if there is one.
  ///
  /// - Parameter input: the complete input.
  func prepare(
    _ input: LuaValue, in subscription: CompoundDisposable,
    _ proceed: @escaping (Failure?) -> Void
  ) {
    onAttempt.take()?()
    let admit = { [self] in
      takePlace(in: subscription) { [self] failure in
        if let failure { return proceed(failure) }
        prepareAdmitted(input, in: subscription, proceed)
      }
    }
    guard awaitsCondition else { return admit() }
    awaitsCondition = false
    scriptCommand.whenConditionKnown(in: subscription) { [self] in
      if let failure = scriptCommand.conditionFailure { return proceed(failure) }
      admit()
    }
  }

  /// Takes a place in the limit of its command over this machine, unless it has one or there is no limit.
  func takePlace(
    in subscription: CompoundDisposable, _ proceed: @escaping (Failure?) -> Void
  ) {
    guard machinePlace == nil, let limit = scriptCommand.machineLimit else { return proceed(nil) }
    limit.admit(self, in: subscription, proceed)
  }

  /// Continues the preparation once nothing outside the process can refuse the execution.
  private func prepareAdmitted(
    _ input: LuaValue, in subscription: CompoundDisposable,
    _ proceed: @escaping (Failure?) -> Void
  ) {
    do {
      if place == nil {
        var place = try scriptCommand.place(
          with: input, for: caller ?? scriptCommand.host.environment)
        // What a cached command executes must not depend on more than the command itself.
        if !isNeeded, place.passed == nil { place.passed = outer?.place?.passed }
        Secrets.add(place.variables)
        // A further attempt asks again, unless the answer was yes.
        if scriptCommand.mayAsk {
          try scriptCommand.host.confirm(Plan.Call(scriptCommand, input))
        }
        self.place = place
      }
    } catch {
      return proceed(scriptCommand.host.failure(of: error))
    }
    resolveVariables(in: subscription) { [self] failure in
      if let failure { return proceed(failure) }
      askAndExecuteNeeds(input, in: subscription, proceed)
    }
  }

  /// Computes the values of `rac.lazy` in the variables of its processes.
  private func resolveVariables(
    in subscription: CompoundDisposable, _ proceed: @escaping (Failure?) -> Void
  ) {
    guard let place, place.variables.contains(where: { $0.value.map(LazyText.isMarked) == true })
    else { return proceed(nil) }
    let host = scriptCommand.host
    host.resolve(place.variables, in: subscription) { [self] variables in
      do {
        self.place?.variables = try variables.get()
        proceed(nil)
      } catch {
        proceed(host.failure(of: error))
      }
    }
  }

  private func askAndExecuteNeeds(
    _ input: LuaValue, in subscription: CompoundDisposable,
    _ proceed: @escaping (Failure?) -> Void
  ) {
    if isSkippingPrecondition { return executeNeeds(input, in: subscription, proceed) }
    scriptCommand.askPrecondition(in: subscription) { [self] failure in
      if let failure { return proceed(failure) }
      isSkippingPrecondition = true
      executeNeeds(input, in: subscription, proceed)
    }
  }

  private func executeNeeds(
    _ input: LuaValue, in subscription: CompoundDisposable,
    _ proceed: @escaping (Failure?) -> Void
  ) {
    guard !isSkippingNeeds, scriptCommand.hasNeeds else { return proceed(nil) }
    do {
      let plan = try Plan(needsOf: Plan.Call(scriptCommand, input))
      let run = scriptCommand.host.within(self) { PlanRun(plan, PlanOptions(jobs: .max)) }
      hold(run)
      subscription.add(onLoop { run.cancelUnlessOver() })
      run.onLost = { [weak self] failure in self?.fail(failure) }
      run.start { [self] failure in
        guard !subscription.isDisposed else { return }
        // A further attempt executes what has failed again.
        if failure == nil {
          isSkippingNeeds = true
          use(run.servicesOfOwner)
        }
        proceed(failure)
      }
    } catch {
      proceed(error)
    }
  }
}
