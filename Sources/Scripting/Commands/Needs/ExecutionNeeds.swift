import Reactive

extension ScriptExecution {
  /// Prepares an attempt: waits for the enabled condition if it was not known, determines the
  /// working context, executes the command's needs unless that has been done, and calls `proceed`,
  /// with the failure if there is one.
  func prepare(
    in subscription: CompoundDisposable, _ proceed: @escaping @Sendable (Failure?) -> Void
  ) {
    guard awaitsCondition else { return prepareKnown(in: subscription, proceed) }
    awaitsCondition = false
    command.whenConditionKnown(in: subscription) { [self] in
      if let failure = command.conditionFailure { return proceed(failure) }
      prepareKnown(in: subscription, proceed)
    }
  }

  /// Continues the preparation once the enabled condition is known.
  private func prepareKnown(
    in subscription: CompoundDisposable, _ proceed: @escaping @Sendable (Failure?) -> Void
  ) {
    do {
      if place == nil {
        let place = try command.description.environment.place()
        Secrets.add(place.variables)
        self.place = place
      }
      guard !isSkippingNeeds, !command.needs.isEmpty else { return proceed(nil) }
      isSkippingNeeds = true
      let plan = try Plan(needsOf: command)
      let run = command.host.within(self) { PlanRun(plan, PlanOptions(jobs: .max)) }
      let isDecided = Flag()
      let decide = { @Sendable (failure: Failure?) in
        guard !isDecided.isSet, !subscription.isDisposed else { return }
        isDecided.isSet = true
        proceed(failure)
      }
      run.onEnd = { step, end in
        switch end {
        case .completed, .skipped: break
        case .failed(let cause): decide(cause.neededAs(plan.steps[step].command.name))
        case .cancelled: decide(Failure(.cancelled, "a needed execution was cancelled"))
        }
      }
      run.onFinish = { decide(nil) }
      subscription.add { run.cancel() }
      run.start()
    } catch {
      proceed(command.host.failure(of: error))
    }
  }
}
