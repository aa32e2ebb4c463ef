import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive

extension ProcessSignal {
  /// Starts the process, whose turn it is.
  func launch(
    for purpose: Purpose, _ observer: Observer<LuaValue>,
    _ subscription: CompoundDisposable, onEnd: @escaping (ProcessEnd?) -> Void
  ) {
    let execution = purpose.execution
    let isObserverWork = host.observerWork.isCurrent
    let observerWork = host.observerWork.begin()
    let output = ProcessOutput(host, options, purpose, observer, subscription)
    let ending = ProcessEnding()
    let errors = ProcessErrors(host, execution)
    var offered: OfferedInput?
    if case .none = options.input { offered = execution?.offeredInput }
    var leader: Int32 = 0
    var isInterrupted = false
    var wait: Timer?
    let file: ScriptFile?
    do { file = try scriptFile(for: purpose) } catch {
      onEnd(nil)
      return observer.end(.error(error))
    }
    do throws(SpawnError) {
      var request = request(for: purpose, errors, file)
      if output.joinsErrors, case .forward = request.errors { request.errors = .joinOutput }
      let start = BootClock.now
      let child = try host.loop.spawn(request, onOutput: output.receive) {
        [kept = host] end in
        kept.liveProcesses -= 1
        wait?.cancel()
        file?.remove()
        offered?.remove(leader)
        kept.observers.endedGroup(leader)
        execution?.groupEnded(leader)
        errors.finish()
        output.finish()
        onEnd(end)
        kept.context.within(purpose, asObserver: isObserverWork) {
          ending.finish()
          if !subscription.isDisposed {
            observer.end(
              isInterrupted ? .error(CommandError.cancelled) : options.termination(end))
          } else {
            output.tellLate(captured: end.errorTail)
          }
        }
        observerWork?.end()
        kept.liveUntilIdle()
      }
      leader = child.processID
      host.liveProcesses += 1
      host.postponedSince = nil
      host.observers.beganGroup(leader, of: execution?.origin)
      host.echo(options, leading: leader, since: start, for: execution)
      execution?.groupBegan(leader)
      output.process = child
      offered?.add(child)
      child.onProgramEnd = { [unowned child] in
        child.passOnInterrupt()
        isInterrupted = child.wasInterrupted
        guard execution?.service == nil else {
          // A service whose program fails is over. What it leaves behind would keep it from being
          // started again.
          if child.programStatus != .exited(0) { child.terminate(grace: options.grace) }
          return
        }
        wait = waitForLeftProcesses(of: child, subscription)
      }
      child.onGraceEnd = { [grace = options.grace] in execution?.groupIsKilled(after: grace) }
      subscription.addAsync(
        onLoop { done in
          ending.onFinish(done)
          output.stopHolding()
          child.terminate(grace: options.grace, by: endSignal(of: execution))
        })
      limit(output, observer, subscription)
      ProcessInput(host, options, child).feed(observer, subscription)
    } catch {
      if error.isTemporary, postpone(for: purpose, observer, subscription, onEnd: onEnd) {
        host.startIsPostponed(options.subject, because: error.description)
        return
      }
      onEnd(nil)
      var reason = error.description
      if case .programNotFound = error, options.text == nil,
        let hint = ListedWords.hint(atList: options.words)
      {
        reason += "; \(hint)"
      }
      if case .script(let script)? = options.text {
        return observer.end(.error(options.failure(.spawn, "\(script.subject): \(reason)")))
      }
      observer.end(.error(options.failure(.spawn, reason)))
    }
  }

  /// Says after a second which processes are waited for although the program has ended.
  private func waitForLeftProcesses(
    of child: ChildProcess, _ subscription: CompoundDisposable
  ) -> Timer {
    let timer = host.loop.timer(after: .seconds(1)) { [weak child] in
      // Until its end it keeps its host.
      guard let child, child.isAlive, !subscription.isDisposed else { return }
      let left = child.leftProcesses
      guard !left.isEmpty else { return }
      var names = left.prefix(3).map { "'\($0.name)' (process \($0.id))" }
      if left.count > 3 { names.append("\(left.count - 3) more") }
      host.observers.waits(
        "\(options.subject) has ended, but its run waits for \(names.joined(separator: ", ")), which "
          + "it has left in the background")
    }
    timer.unref()
    return timer
  }

  /// Returns the file of a script; nil for anything else.
  private func scriptFile(for purpose: Purpose) throws(Failure) -> ScriptFile? {
    guard case .script(let script)? = options.text else { return nil }
    do { return try ScriptFile(script, named: purpose.place?.name ?? "script") } catch {
      throw options.failure(.spawn, error.message)
    }
  }

  /// Tries again when another process has ended: until then, the system has no more descriptors,
  /// processes or memory for this one.
  ///
  /// - Returns: false if no other runs.
  private func postpone(
    for purpose: Purpose, _ observer: Observer<LuaValue>,
    _ subscription: CompoundDisposable, onEnd: @escaping (ProcessEnd?) -> Void
  ) -> Bool {
    let isObserverWork = host.observerWork.isCurrent
    let observerWork = host.observerWork.begin()
    return host.loop.afterNextEnd { [kept = host] in
      observerWork?.end()
      guard !subscription.isDisposed else {
        return onEnd(nil)
      }
      kept.context.within(purpose, asObserver: isObserverWork) {
        launch(for: purpose, observer, subscription, onEnd: onEnd)
      }
    }
  }

  func request(
    for purpose: Purpose, _ errors: ProcessErrors, _ file: ScriptFile?
  ) -> ProcessRequest {
    let execution = purpose.execution
    let place = ProcessContext(
      purpose.place, options, over: host.variables(for: execution))
    Secrets.add(options.variables)
    var request = ProcessRequest(
      argv: options.argv + (file.map { [$0.path.exactBytes] } ?? []) + options.arguments,
      environment: place.environment(of: host.environment), directory: place.directory)
    request.errors =
      switch options.errors {
      case .inherit: .forward { errors.receive($0) }
      case .merge: .mergeIntoOutput
      case .capture:
        .forward { [host] bytes in host.observers.capturedErrors(bytes, of: execution?.origin) }
      }
    request.onTerminalWanted = { [host] in
      let hint =
        place.isInteractive || execution?.hasInput == true
        ? "is not free now" : "a command has with interactive = true"
      host.log(.warn, "\(options.subject) waits for the terminal, which \(hint)")
    }
    if place.hasTerminal {
      request.output = .terminal(.ofUser)
      if options.errors == .inherit { request.errors = .mergeIntoOutput }
    }
    if case .none = options.input {
      if execution?.hasInput == true {
        request.inheritInput()
      } else if execution?.offeredInput != nil {
        request.input = .pipe
      }
    } else {
      request.input = .pipe
    }
    if place.isInteractive {
      request.goToTerminal(options)
      host.observers.deliveredOutput()
    }
    if case .inherit = request.input { host.hasGivenInput = true }
    return request
  }

  /// Ends the signal when the time is over; its disposal then ends the process.
  private func limit(
    _ output: ProcessOutput, _ observer: Observer<LuaValue>, _ subscription: CompoundDisposable
  ) {
    guard let timeout = options.timeout else { return }
    subscription.add(
      host.scheduler.schedule(
        limit: timeout,
        onLoop {
          guard !subscription.isDisposed else { return }
          output.isTimedOut = true
          var failure = options.failure(
            .timeout, "\(options.subject) took longer than \(timeout.text)")
          output.takeErrors(into: &failure)
          observer.end(.error(failure))
        }))
  }

  /// The signal that asks a process to end. An interrupt from the keyboard reaches the tools of adopted
  /// files as it is: they know it from the terminal.
  private func endSignal(of execution: ScriptExecution?) -> Int32 {
    let isAdopted = execution?.scriptCommand.description.adoptedFile != nil
    return isAdopted && host.endingSignal == SIGINT ? SIGINT : SIGTERM
  }
}

extension ProcessRequest {
  /// Leaves to the process the streams that the script does not use itself.
  fileprivate mutating func goToTerminal(_ options: ProcessOptions) {
    if case .none = options.input { input = .inherit }
    if options.errors == .inherit { errors = .inherit }
    output = .inherit
    terminal = .always
  }
}

/// Notifies one listener when the process is over. Confined to the loop's thread.
private final class ProcessEnding {
  private var isOver = false
  private var listener: (() -> Void)?

  func onFinish(_ listener: @escaping () -> Void) {
    if isOver { listener() } else { self.listener = listener }
  }

  func finish() {
    isOver = true
    listener?()
    listener = nil
  }
}

extension ScriptHost {
  /// Says once that processes wait to start, if that takes longer than a second: what they wait for may
  /// be something that waits for them.
  fileprivate func startIsPostponed(_ subject: String, because reason: String) {
    let now = EventLoop.now
    guard let since = postponedSince else { return postponedSince = now }
    guard now - since >= .seconds(1), !hasToldPostponement else { return }
    hasToldPostponement = true
    observers.waits(
      "\(subject) waits until another process has ended, and others may too: \(reason)")
  }
}
