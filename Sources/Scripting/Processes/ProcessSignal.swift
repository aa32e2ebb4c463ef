import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive

/// A process as a cold signal: each subscription starts one.
///
/// Disposal asks its group to end, kills it after the grace period, and is over only when no
/// process of the group is left; code that waits for the subscription's work waits for that.
struct ProcessSignal {
  unowned(unsafe) let host: ScriptHost
  let options: ProcessOptions
  /// Returns the work that made the signal, while it exists.
  let maker: () -> Purpose

  var signal: Signal<LuaValue> {
    Signal(source: onLoop(start))
  }

  private func start(_ observer: Observer<LuaValue>, _ subscription: CompoundDisposable) {
    guard !subscription.isDisposed else { return }
    do { try host.demand(.processes, for: options.function) } catch {
      return observer.end(.error(error))
    }
    let purpose = host.context.purpose.isNone ? maker() : host.context.purpose
    guard !options.isMarked, !purpose.isMarked else {
      return resolve(for: purpose, observer, subscription)
    }
    let resolved = options.resolved(in: purpose.place)
    ProcessSignal(host: host, options: resolved, maker: maker)
      .start(for: purpose, observer, subscription)
  }

  private func start(
    for purpose: Purpose, _ observer: Observer<LuaValue>, _ subscription: CompoundDisposable
  ) {
    guard !options.isDetached else { return startDetached(for: purpose, observer) }
    guard purpose.place?.isInteractive == true else {
      // What an observer starts is its work, although it may wait for a job.
      let isObserverWork = host.observerWork.isCurrent
      let observerWork = host.observerWork.begin()
      let start = { [host] (end: @escaping (ProcessEnd?) -> Void) in
        defer { observerWork?.end() }
        host.context.within(purpose, asObserver: isObserverWork) {
          host.echo(options, for: purpose.execution)
          launch(for: purpose, observer, subscription, onEnd: end)
        }
      }
      guard options.takesJob, purpose.execution?.service == nil else {
        return start { _ in }
      }
      return host.jobShares.take(for: purpose.execution, in: subscription, start)
    }
    startAtTerminal(for: purpose, observer, subscription)
  }

  /// Starts the process once it has both the terminal and a job. It waits for one of them without the
  /// other, which others may wait for.
  private func startAtTerminal(
    for purpose: Purpose, _ observer: Observer<LuaValue>, _ subscription: CompoundDisposable
  ) {
    let turns = host.terminalTurns
    turns.take(for: subscription) { [host] in
      var isTurn = true
      var isStarted = false
      host.jobShares.take(for: purpose.execution, in: subscription) { end in
        guard isTurn || turns.takeIfFree() else {
          end(nil)
          return startAtTerminal(for: purpose, observer, subscription)
        }
        isStarted = true
        host.within(purpose) {
          host.echo(options, for: purpose.execution)
          launch(for: purpose, observer, subscription) {
            end($0)
            turns.leave()
          }
        }
      }
      isTurn = false
      if !isStarted { turns.leave() }
    }
  }

  /// Starts the process once the values of `rac.lazy` in its arguments and variables are computed.
  private func resolve(
    for purpose: Purpose, _ observer: Observer<LuaValue>,
    _ subscription: CompoundDisposable
  ) {
    let proceed = { [self] (result: Result<ProcessOptions, any Error>) in
      switch result {
      case .failure(let error): observer.end(.error(error))
      case .success(let options):
        host.within(purpose) {
          ProcessSignal(host: host, options: options, maker: maker).start(observer, subscription)
        }
      }
    }
    host.resolve(options.texts, in: subscription) { [host, options] texts in
      host.resolve(options.variables, in: subscription) { variables in
        host.resolve(purpose, in: subscription) { surroundings in
          proceed(
            Result {
              try surroundings.get()
              var options = options.computed(try texts.get(), in: purpose.place)
              options.variables = try variables.get()
              return options
            })
        }
      }
    }
  }

  /// Sends the process id of a detached program.
  private func startDetached(for purpose: Purpose, _ observer: Observer<LuaValue>) {
    host.echo(options, for: purpose.execution)
    do {
      let errors = ProcessErrors(host, purpose.execution)
      let pid = try host.loop.spawnDetached(request(for: purpose, errors, nil))
      observer.next(.integer(Int64(pid)))
      observer.end(.completed)
    } catch {
      observer.end(.error(options.failure(.spawn, error.description)))
    }
  }
}
