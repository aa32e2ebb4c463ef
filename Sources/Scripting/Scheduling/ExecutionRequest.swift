import Commands
import EventLoop
import LuaRuntime
import Reactive

/// A source of requests: a plan that is executed once, a batch whose entries arrive while others
/// are executed. The scheduler calls it on the loop's thread.
package protocol ExecutionRequester: AnyObject {
  /// Returns true if a request may start as far as its source is concerned. Otherwise the source
  /// has called `hold`, and calls `wake` when that has changed.
  func isReady(_ request: ExecutionRequest) -> Bool
  /// The services that a request uses: it starts when they are ready, whatever they were when the source
  /// has added it.
  func services(of request: ExecutionRequest) -> UsedServices
  /// Returns true if a running request of the same command has the same input, so that the command
  /// would join them.
  func joins(_ request: ExecutionRequest) -> Bool
  /// Called when a request is given a job.
  ///
  /// - Returns: false if it is not to be executed.
  func begins(_ request: ExecutionRequest) -> Bool
  /// The complete input of a request for a command.
  func input(of request: ExecutionRequest) throws(Failure) -> LuaValue
  /// Called when a command has admitted or rejected a request, before the work starts.
  func started(_ request: ExecutionRequest, _ execution: Execution<LuaValue, LuaValue>)
  /// Does the work of a request without a command, and then calls `end` of the scheduler.
  func perform(_ request: ExecutionRequest)
  /// Called when a request that has begun waits again: its command could not take it after all.
  func returned(_ request: ExecutionRequest)
  /// Cancels a running request.
  func cancel(_ request: ExecutionRequest)
  /// Called once when a request has ended; `failure` is nil if it has completed.
  func ended(_ request: ExecutionRequest, _ failure: Failure?)
}

extension ExecutionRequester {
  package func isReady(_ request: ExecutionRequest) -> Bool { true }
  package func services(of request: ExecutionRequest) -> UsedServices { UsedServices() }
  package func joins(_ request: ExecutionRequest) -> Bool { false }
  package func begins(_ request: ExecutionRequest) -> Bool { true }
  package func perform(_ request: ExecutionRequest) {}
  package func returned(_ request: ExecutionRequest) {}
  package func cancel(_ request: ExecutionRequest) { request.execution?.cancel() }
}

/// A request to execute a command, or to do other work that takes a job, on its way through an
/// `ExecutionScheduler`. Confined to the loop's thread.
package final class ExecutionRequest {
  enum State {
    case waiting
    /// Another request or another part of the run executes the same call.
    case joined(CompoundDisposable)
    case running
    case ended
  }

  /// Its place in the order in which requests start.
  package let order: Int
  /// True if another request needs it, and nobody has asked for it.
  let isNeed: Bool
  /// True while it has one of the scheduler's jobs.
  var hasJob = false
  /// The call, if it is executed once for all that need it.
  let call: CallKey?
  /// True if it waits for a slot of its command, whatever the command's own policy is: nobody asked
  /// for two executions at the same time.
  let takesTurns: Bool
  /// True if it is a part of the work of the execution around it, although nobody has asked for it.
  var isWork = false
  /// True if the command's precondition has not been asked for it.
  var asksPrecondition = false
  package let requester: any ExecutionRequester
  /// The queue in which it waits or has waited.
  package let queue: RequestQueue
  var state = State.waiting
  /// What is disposed when it no longer waits for services, once it has waited.
  private(set) lazy var alarm = CompoundDisposable()
  /// The requests for the same call, which end as this one does.
  var followers: [ExecutionRequest] = []
  /// The call, if it is executed here for other processes, too.
  var shared: NeededCall?
  /// The execution, once its command has been asked for one.
  package internal(set) var execution: Execution<LuaValue, LuaValue>?

  init(
    _ order: Int, in queue: RequestQueue, from requester: any ExecutionRequester, isNeed: Bool,
    call: CallKey?, takesTurns: Bool
  ) {
    self.order = order
    self.queue = queue
    self.requester = requester
    self.isNeed = isNeed
    self.call = call
    self.takesTurns = takesTurns
  }

  func clearAlarm() {
    alarm.dispose()
    alarm = CompoundDisposable()
  }

  /// True if it has failed while it waited: nothing was executed for it.
  var isRefused = false

  /// True until it starts or ends.
  package var isWaiting: Bool { if case .waiting = state { true } else { false } }
  /// True from its start to its end.
  var isRunning: Bool { if case .running = state { true } else { false } }
  /// True while another execution of the same call stands for it.
  var isJoined: Bool { if case .joined = state { true } else { false } }
}
