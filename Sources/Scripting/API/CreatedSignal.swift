import LuaRuntime
import Reactive

/// The signal of `rac.create`.
struct CreatedSignal {
  private let name: String
  private let node: SignalNode

  /// - Parameter name: the name that messages use for the function whose block is the work.
  init(_ name: String, _ node: SignalNode) {
    self.name = name
    self.node = node
  }

  var signal: Signal<LuaValue> {
    .create { subscriber in
      let host = node.host
      let userdata = host.value { stack in
        stack.push(SubscriberObject(subscriber), as: Userdata.subscriber)
      }
      do {
        let result = try node.callback(1).call(userdata)
        return try teardown(result)
      } catch {
        guard subscriber.isDisposed else {
          subscriber.sendError(error)
          return nil
        }
        // After the end nobody receives it. What has ended cannot time out.
        let failure = host.failure(of: error)
        if failure.kind != .timeout { host.reportUnhandled(failure) }
        return nil
      }
    }
  }

  /// Returns the disposable that a block returned. It is in flight: the subscription holds it, by
  /// reference, until it runs.
  private func teardown(_ result: LuaValue) throws -> (any Disposable)? {
    let host = node.host
    switch result.type {
    case .nil: return nil
    case .function:
      let deadline = host.interpreter.deadline
      return ActionDisposable {
        host.context.cleanUp(after: deadline) {
          do { try host.interpreter.call(result, []) } catch { host.reportUnhandled(error) }
        }
      }
    default:
      let disposable = host.interpreter.withStack { stack in
        stack.push(result)
        return stack.object(at: -1, Userdata.disposable)?.disposable
      }
      guard let disposable = disposable ?? nil else {
        throw node.callback(1).returned(
          result.type, from: "the block of \(name)", insteadOf: "a function or a disposable")
      }
      return disposable
    }
  }
}
