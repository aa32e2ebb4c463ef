import Commands
import EventLoop
import Platform
import Reactive

/// The jobs of a scheduler, which `--jobs` limits: a request has one while it runs, but for the delays of
/// its retries.
extension ExecutionScheduler {
  /// False if executions of a command take no job, and so wait for none: services, and those that
  /// `jobserver = false` keeps out of the budget. A streaming source may have any number of these at once.
  func needsJobs(_ command: ScriptCommand) -> Bool {
    if command.isService { return false }
    return command.takesJob || options.jobs == .max || options.streaming != nil
  }

  func isFree(_ request: ExecutionRequest) -> Bool {
    guard request.queue.needsJobs else { return true }
    return jobs.all < options.jobs && (!request.isNeed || jobs.needs < options.neededJobs)
  }

  /// Gives a request a job, if it needs one.
  func takeJob(_ request: ExecutionRequest) {
    guard request.queue.needsJobs, !request.hasJob else { return }
    request.hasJob = true
    jobs.add(1, request)
  }

  func giveBackJob(_ request: ExecutionRequest) {
    guard request.hasJob else { return }
    request.hasJob = false
    jobs.add(-1, request)
  }

  /// Lets others have the job of an execution during the delay before its next attempt. That waits for no
  /// job: what has one by then may wait for the execution. Its processes wait for the job server.
  func followAttempts(of script: ScriptExecution, for request: ExecutionRequest) {
    // A streaming source could have any number of executions at once that way.
    guard script.mayRetry, options.streaming == nil else { return }
    let following = CompoundDisposable()
    script.attempts.observe(
      Observer(
        next: onLoop { [weak self, weak script] attempt in
          guard attempt.delay > .zero, let self, let script, request.hasJob else { return }
          giveBackJob(request)
          script.onAttempt = { [weak self] in
            if request.isRunning { self?.takeJob(request) }
          }
          // Others follow the attempts, too.
          host.scheduler.enqueue(onLoop { [self] in advance() })
        }, end: { _ in following.dispose() }), in: following)
  }
}

/// The number of requests that have jobs.
struct RunningJobs {
  private(set) var all = 0
  /// Those of them that are needs.
  private(set) var needs = 0

  mutating func add(_ count: Int, _ request: ExecutionRequest) {
    all += count
    if request.isNeed { needs += count }
  }
}
