import EventLoop
import LuaRuntime
import Platform
import Reactive

extension ScriptCommand {
  /// An execution of a service that somebody has asked for: it uses the service, which may be up, and
  /// sends its lines until the service ends for good.
  func visit(_ input: LuaValue, for execution: ScriptExecution) -> Signal<LuaValue> {
    Signal(
      source: onLoop { [self] observer, subscription in
        let call = Plan.Call(self, input)
        let host = host
        let receive = onLoop { (status: ServiceStatus) in
          guard !subscription.isDisposed else { return }
          switch status.state {
          case .failed:
            var failure = Failure(.exit, status.failure ?? "it has failed")
            failure.command = call.command.name
            observer.end(.error(failure))
          case .down: observer.end(.completed)
          case .starting, .ready, .unready, .restarting, .ending: break
          }
        }
        let use = host.services.use(self, input) { status in
          host.note(status, of: call)
          host.scheduler.enqueue { receive(status) }
        }
        subscription.add(use)
        let lines = host.services.output(of: self, input) { line in
          guard !subscription.isDisposed else { return }
          guard line.isError else { return observer.next(.string(LuaString(line.bytes))) }
          (line.bytes + [UInt8(ascii: "\n")]).withUnsafeBytes {
            host.observers.wroteErrors($0, of: execution.origin)
          }
        }
        subscription.add(lines)
      })
  }
}
