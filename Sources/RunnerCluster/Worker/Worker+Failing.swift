import EventLoop
import RunnerCore
import Scripting

/// What a worker does if the server does not take what it has to tell.
extension Worker {
  /// Sends one by one what the server has not taken together, so that one result that it cannot record
  /// does not end what else the worker executes. That entry fails, with the server's reason.
  func sendSingly(_ outbox: Outbox, of session: String, after error: ServerError) {
    let parts = outbox.parts
    if parts.isEmpty, error.isCancellation {
      isStepping = false
      hasNews = true
      return step(after: .seconds(1))
    }
    guard case .failed = error, !parts.isEmpty else { return fail(error) }
    self.outbox.untell(outbox.untold)
    send(parts[...], of: session)
  }

  private func send(_ parts: ArraySlice<Outbox>, of session: String) {
    guard let part = parts.first else {
      isStepping = false
      sent = []
      return step()
    }
    link.send(Self.statement, [.text(session)] + part.parameters(tells: false, want: 0)) {
      [unowned self] answer in
      switch answer {
      case .success(let rows): take(rows, isCurrent: false, wanted: 0)
      case .failure(.failed(_, let code, let reason)) where !part.isFlawed:
        report.error("the journal on \(link.address.name) does not accept a result: \(reason)")
        return send([part.failed(because: "\(reason) (\(code))")] + parts.dropFirst(), of: session)
      case .failure(let error): return fail(error)
      }
      send(parts.dropFirst(), of: session)
    }
  }

  /// Ends the worker because the server cannot be used: cancels what it executes, and gives back what it
  /// holds when nothing of that runs any more.
  func fail(_ error: ServerError) {
    guard !isOver else { return }
    stop(because: error)
    if !held.isEmpty { report.say("an error occurred; returning unrecorded entries to the queue") }
    for batch in batches.values { batch.executor?.terminate(grace: .seconds(1)) }
    // After that, its entries go back with the lease.
    _ = loop.timer(after: lease.length) { [unowned self] in leave() }
    endIfFailed()
  }

  /// Leaves if the worker has failed and nothing runs any more.
  func endIfFailed() {
    guard failure != nil, batches.values.allSatisfy({ $0.executor == nil }) else { return }
    guard link.isUp, lease.isHeld else { return leave() }
    link.send("SELECT raclette.leave($1)", [.text(session)]) { [unowned self] _ in leave() }
  }

  private func leave() {
    link.close()
    loop.stop()
  }
}

extension Outbox {
  /// Each end, begin and event by itself.
  var parts: [Outbox] {
    outputs.map { output in
      var part = Outbox()
      part.add(output.events, of: output.token, in: output.batch)
      return part
    }
      + begun.map { token in
        var part = Outbox()
        part.begin(token)
        return part
      }
      + ends.map { end in
        var part = Outbox()
        part.end(end, of: 0)
        return part
      }
  }

  /// The same with as little content as there can be: an end becomes a failure for a reason, and
  /// events are left out.
  func failed(because reason: String) -> Outbox {
    var failed = Outbox()
    failed.isFlawed = true
    for end in ends {
      var failure = End(token: end.token, state: "failed")
      failure.duration = end.duration
      failure.errorKind = Failure.Kind.limit.rawValue
      failure.error = "its result cannot be recorded: \(reason)"
      failed.end(failure, of: 0)
    }
    return failed
  }
}
