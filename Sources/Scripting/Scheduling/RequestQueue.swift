import EventLoop
import Platform
import Reactive

/// The waiting requests for one command, or those that wait only for a job. Confined to the loop's
/// thread.
package final class RequestQueue {
  /// The reason why no request of a queue may start.
  enum Obstacle {
    /// The command is busy.
    case busy
    /// The condition is false or not known.
    case condition
    /// What the command shares with others is not free.
    case shared
    /// The source holds the queue.
    case held
  }

  /// The command; nil for requests that wait only for a job.
  package let command: ScriptCommand?
  /// True if its requests wait for a job, and have it while they run.
  let needsJobs: Bool
  /// The number of running requests of the queue.
  package internal(set) var running = 0
  /// The number of waiting requests.
  private(set) var count = 0
  /// Nil if a request may start, as far as is known.
  fileprivate(set) var obstacle: Obstacle?
  /// The number of requests for which the command's condition has been evaluated.
  var answers = 0
  /// The time at which the command was found disabled, on the clock of the loop.
  var disabledSince: Duration?
  /// The place in a limit over the machine that the next execution has before it starts, if it has one.
  /// It is dropped at the end of the turn, because a child process may wait for it.
  var place: SharedPlace?
  /// True once it was reported that the first request waits for such a place.
  var hasReportedWait = false
  /// What the next execution may use, if that was free before it starts.
  var grant: ResourceGrant?
  /// Holds the subscriptions and timers that wake the queue, once there are some.
  private var ownAlarm: CompoundDisposable?

  /// In order; those that were withdrawn remain until it is their turn.
  private var requests = Queue<ExecutionRequest>()
  /// The requests that wait for services, by their order: others pass them.
  fileprivate(set) var aside: [Int: ExecutionRequest] = [:]

  init(_ command: ScriptCommand?, needsJobs: Bool) {
    (self.command, self.needsJobs) = (command, needsJobs)
  }

  /// The first request that waits.
  var first: ExecutionRequest? {
    while let request = requests.first {
      if request.isWaiting { return request }
      _ = requests.popFirst()
    }
    return nil
  }

  fileprivate func insert(_ request: ExecutionRequest) {
    count += 1
    if let first, first.order > request.order { return requests.prepend(request) }
    guard let last = requests.last, last.order > request.order else {
      return requests.append(request)
    }
    var elements = requests.elements
    let place = elements.firstIndex { $0.order > request.order } ?? elements.count
    elements.insert(request, at: place)
    requests = Queue()
    for element in elements { requests.append(element) }
  }

  fileprivate func popFirst() -> ExecutionRequest? {
    guard first != nil else { return nil }
    forgetOne()
    return requests.popFirst()
  }

  fileprivate func removeAll() -> [ExecutionRequest] {
    giveBack()
    defer { (requests, count, answers, aside) = (Queue(), 0, 0, [:]) }
    let all = requests.elements.filter(\.isWaiting) + aside.values
    return aside.isEmpty ? all : all.sorted { $0.order < $1.order }
  }

  fileprivate func forgetOne() {
    count -= 1
    answers = max(0, answers - 1)
    if count == 0 { hasReportedWait = false }
  }

  /// True if the first request may start, as far as is known: a held queue holds back no needs, as
  /// what holds it may wait for them.
  fileprivate var isOffered: Bool {
    switch obstacle {
    case nil: true
    case .held: first?.isNeed == true
    case .busy, .condition, .shared: false
    }
  }

  /// Gives back what it would hand on to the next execution.
  func giveBack() { (place, grant) = (nil, nil) }

  /// What is disposed when the queue is woken.
  var alarm: CompoundDisposable {
    if let ownAlarm { return ownAlarm }
    let alarm = CompoundDisposable()
    ownAlarm = alarm
    return alarm
  }

  fileprivate func clearAlarm() {
    ownAlarm?.dispose()
    ownAlarm = nil
  }
}

/// All waiting requests of a scheduler, in the queues of their commands.
struct RequestQueues {
  /// The queue of requests that wait only for a job.
  let unbound = RequestQueue(nil, needsJobs: true)
  /// The number of waiting requests.
  private(set) var waiting = 0
  /// The number of waiting requests in queues with an obstacle.
  private var blocked = 0
  /// The queues whose command is not enabled, as far as is known.
  private(set) var disabled: [RequestQueue] = []
  private var byCommand: [ObjectIdentifier: RequestQueue] = [:]
  /// The queues whose first request may start.
  private var ready = ReadyQueues()
  /// Those of them whose requests need no job.
  private var jobless = ReadyQueues()

  /// The number of requests that wait only for a job, as far as is known.
  var readyCount: Int { waiting - blocked }

  /// The queues with waiting requests.
  var occupied: [RequestQueue] {
    ([unbound] + byCommand.values).filter { $0.count > 0 || !$0.aside.isEmpty }
  }

  /// The queue of a command; nil for requests that wait only for a job.
  ///
  /// - Parameter needsJobs: the same for all requests of the command.
  mutating func queue(of command: ScriptCommand?, needsJobs: Bool) -> RequestQueue {
    guard let command else { return unbound }
    let key = ObjectIdentifier(command)
    if let queue = byCommand[key] { return queue }
    let queue = RequestQueue(command, needsJobs: needsJobs)
    byCommand[key] = queue
    return queue
  }

  mutating func insert(_ request: ExecutionRequest) {
    let queue = request.queue
    queue.insert(request)
    waiting += 1
    if queue.obstacle != nil { blocked += 1 }
    if queue.first === request { offer(queue) }
  }

  mutating func popFirst(of queue: RequestQueue) -> ExecutionRequest? {
    guard let request = queue.popFirst() else { return nil }
    count(-1, of: queue)
    offer(queue)
    return request
  }

  /// Lets others pass the first request of a queue, until `restore`.
  mutating func setAside(_ request: ExecutionRequest) {
    let queue = request.queue
    guard queue.popFirst() === request else { return }
    queue.aside[request.order] = request
    // It counts as one of a queue with an obstacle.
    if queue.obstacle == nil { blocked += 1 }
    offer(queue)
  }

  /// Returns a request to its place in its queue.
  mutating func restore(_ request: ExecutionRequest) {
    if leaveAside(request) { insert(request) }
  }

  /// Forgets that a request was set aside.
  ///
  /// - Returns: false if it was not.
  private mutating func leaveAside(_ request: ExecutionRequest) -> Bool {
    guard request.queue.aside.removeValue(forKey: request.order) != nil else { return false }
    request.clearAlarm()
    waiting -= 1
    blocked -= 1
    return true
  }

  /// Removes all requests of a queue.
  mutating func removeAll(of queue: RequestQueue) -> [ExecutionRequest] {
    for request in queue.aside.values { request.clearAlarm() }
    waiting -= queue.aside.count
    blocked -= queue.aside.count
    count(-queue.count, of: queue)
    return queue.removeAll()
  }

  /// Removes all requests; no queue is woken any more.
  mutating func removeAll() -> [ExecutionRequest] {
    for queue in [unbound] + Array(byCommand.values) { queue.clearAlarm() }
    return occupied.flatMap { removeAll(of: $0) }
  }

  /// Removes a waiting request, whose state the caller has changed.
  mutating func withdraw(_ request: ExecutionRequest) {
    if leaveAside(request) { return }
    let queue = request.queue
    queue.forgetOne()
    count(-1, of: queue)
    guard queue.count == 0 else { return offer(queue) }
    queue.giveBack()
    // Nothing waits for what would wake the queue.
    unblock(queue)
  }

  /// Returns the queue with the earliest request that may start.
  ///
  /// - Parameters:
  ///   - isFree: false if there is no job for a request, nor for any later one.
  mutating func next(_ isFree: (ExecutionRequest) -> Bool) -> RequestQueue? {
    let request = ready.first.flatMap { isFree($0) ? $0 : nil }
    guard let other = jobless.first, request.map({ other.order < $0.order }) ?? true else {
      if request != nil { ready.removeFirst() }
      return request?.queue
    }
    jobless.removeFirst()
    return other.queue
  }

  /// Keeps the requests of a queue from starting until `unblock`.
  mutating func block(_ queue: RequestQueue, _ obstacle: RequestQueue.Obstacle) {
    unblock(queue, offers: false)
    queue.obstacle = obstacle
    blocked += queue.count
    if case .condition = obstacle { disabled.append(queue) }
  }

  mutating func unblock(_ queue: RequestQueue) { unblock(queue, offers: true) }

  private mutating func unblock(_ queue: RequestQueue, offers: Bool) {
    queue.clearAlarm()
    guard let obstacle = queue.obstacle else { return }
    queue.obstacle = nil
    blocked -= queue.count
    if case .condition = obstacle { disabled.removeAll { $0 === queue } }
    if offers { offer(queue) }
  }

  /// Unblocks the queues whose command is not enabled, as far as `isDue` returns true.
  mutating func unblockDisabled(where isDue: (RequestQueue) -> Bool) {
    guard !disabled.isEmpty else { return }
    let due = disabled.filter(isDue)
    guard !due.isEmpty else { return }
    disabled.removeAll(where: isDue)
    for queue in due {
      queue.clearAlarm()
      queue.obstacle = nil
      blocked -= queue.count
      offer(queue)
    }
  }

  /// Lets the first request of a queue be found by `next` if it may start.
  private mutating func offer(_ queue: RequestQueue) {
    guard queue.isOffered, let first = queue.first else { return }
    if queue.needsJobs { ready.insert(first) } else { jobless.insert(first) }
  }

  private mutating func count(_ difference: Int, of queue: RequestQueue) {
    waiting += difference
    if queue.obstacle != nil { blocked += difference }
  }
}

/// Queues whose first request may start, by its order. A queue stands in it at least once for its present
/// first request; what else stands in it is out of date.
private struct ReadyQueues {
  private var heap = BinaryHeap<RequestQueue>()

  /// The earliest request.
  var first: ExecutionRequest? {
    mutating get {
      while let (order, queue) = heap.first {
        if queue.isOffered, let first = queue.first, first.order == order { return first }
        heap.removeFirst()
      }
      return nil
    }
  }

  mutating func removeFirst() { heap.removeFirst() }

  mutating func insert(_ request: ExecutionRequest) { heap.insert(request.queue, request.order) }
}
