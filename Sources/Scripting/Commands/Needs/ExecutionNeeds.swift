import LuaRuntime
import Reactive

extension ScriptExecution {
  /// Prepares an attempt: waits for the enabled condition if it was not known, determines the
  /// working context, asks for confirmation and the precondition, executes the command's needs
  /// unless that has been done, and calls `proceed`, with the failure if there is one.
  ///
  /// - Parameter input: the complete input.
  func prepare(
    _ input: LuaValue, in subscription: CompoundDisposable,
    _ proceed: @escaping (Failure?) -> Void
  ) {
    guard awaitsCondition else { return prepareKnown(input, in: subscription, proceed) }
    awaitsCondition = false
    command.whenConditionKnown(in: subscription) { [self] in
      if let failure = command.conditionFailure { return proceed(failure) }
      prepareKnown(input, in: subscription, proceed)
    }
  }

  /// Continues the preparation once the enabled condition is known.
  private func prepareKnown(
    _ input: LuaValue, in subscription: CompoundDisposable,
    _ proceed: @escaping (Failure?) -> Void
  ) {
    do {
      if place == nil {
        let place = try command.description.environment.place()
        Secrets.add(place.variables)
        // A further attempt asks again, unless the answer was yes.
        try command.host.confirm(command, input)
        self.place = place
      }
    } catch {
      return proceed(command.host.failure(of: error))
    }
    if isSkippingPrecondition { return executeNeeds(input, in: subscription, proceed) }
    command.askPrecondition(in: subscription) { [self] failure in
      if let failure { return proceed(failure) }
      isSkippingPrecondition = true
      executeNeeds(input, in: subscription, proceed)
    }
  }

  private func executeNeeds(
    _ input: LuaValue, in subscription: CompoundDisposable,
    _ proceed: @escaping (Failure?) -> Void
  ) {
    guard !isSkippingNeeds, command.hasNeeds else { return proceed(nil) }
    do {
      let plan = try Plan(needsOf: Plan.Call(command, input))
      let run = command.host.within(self) { PlanRun(plan, PlanOptions(jobs: .max)) }
      var isDecided = false
      let decide = { (failure: Failure?) in
        guard !isDecided, !subscription.isDisposed else { return }
        isDecided = true
        // A further attempt executes what has failed again.
        if failure == nil { self.isSkippingNeeds = true }
        proceed(failure)
      }
      run.onEnd = { step, end in
        switch end {
        case .completed, .skipped: break
        case .failed(let cause), .refused(let cause):
          decide(cause.neededAs(plan.steps[step].command.name))
        case .cancelled: decide(Failure(.cancelled, "a needed execution was cancelled"))
        }
      }
      run.onFinish = { decide(nil) }
      subscription.add { run.cancel() }
      run.start()
    } catch {
      proceed(error)
    }
  }
}
