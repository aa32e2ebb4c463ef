import Platform
import Reactive

/// What several requests need is executed once: by one of them, which leads, by an earlier execution of
/// the run, or by another process.
extension ExecutionScheduler {
  /// The earlier execution of a needed call.
  func known(_ call: CallKey) -> NeedsRecord.Entry? {
    record[call] ?? failures[call].map { .failed($0) }
  }

  /// Remembers that a needed call has failed, although it was not executed.
  func remember(_ call: CallKey, _ failure: Failure) {
    if options.streaming != nil { failures[call] = failure }
  }

  /// Uses for a request an execution that another part of the run has started or finished.
  func join(_ known: NeedsRecord.Entry, _ request: ExecutionRequest) {
    let following = CompoundDisposable()
    request.state = .joined(following)
    joined[request.order] = request
    switch known {
    case .completed: endJoined(request, nil)
    case .failed(let failure): endJoined(request, failure)
    case .running(let script) where outer?.isWithin(script) == true:
      let user = outer?.scriptCommand ?? script.scriptCommand
      endJoined(request, user.failure(neededByOwnWorkOf: script.scriptCommand))
    case .running(let script):
      script.observe(
        Observer(end: onLoop { [self] in endJoined(request, script.failure(at: $0)) }),
        in: following)
    }
  }

  func endJoined(_ request: ExecutionRequest, _ failure: Failure?) {
    guard case .joined(let following) = request.state else { return }
    following.dispose()
    joined[request.order] = nil
    request.state = .ended
    conclude(request, failure)
    advance()
  }

  /// Lets the next request take the place of one that others have followed and that ends unexecuted.
  func passOn(_ request: ExecutionRequest) {
    guard let call = request.call, leaders[call] === request else { return }
    let followers = request.followers.drop { !$0.isJoined }
    leaders[call] = followers.first
    guard !isStopped, let next = followers.first else { return endShared(request, .unwanted) }
    next.followers = Array(followers.dropFirst())
    next.shared = request.shared
    request.shared = nil
    joined[next.order] = nil
    next.state = .waiting
    queues.insert(next)
  }

  // MARK: Other processes

  /// Asks who executes a call, and executes it or takes over its result.
  func ask(_ call: NeededCall, _ request: ExecutionRequest) {
    request.state = .joined(CompoundDisposable())
    joined[request.order] = request
    host.policy.sharedNeeds?.ask(call) { [self] answer in
      switch answer {
      case .execute where !request.isJoined: host.policy.sharedNeeds?.end(call, .unwanted)
      case .execute:
        joined[request.order] = nil
        request.shared = call
        request.state = .waiting
        queues.insert(request)
        advance()
      case .ended(let failure): endJoined(request, failure)
      }
    }
  }

  /// Tells other processes how a call has ended that was left to this one.
  func endShared(_ request: ExecutionRequest, _ failure: Failure?) {
    guard let shared = request.shared else { return }
    request.shared = nil
    // It may be enabled where another process is.
    host.policy.sharedNeeds?.end(shared, failure?.kind == .notEnabled ? .unwanted : failure)
  }
}

extension Failure {
  /// The end of a call that nobody wants any more.
  fileprivate static var unwanted: Failure { Failure(.cancelled, "no command needs it any more") }
}
