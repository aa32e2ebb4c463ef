import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// Those who follow services without using them: each follows its service to whichever interpreter runs
/// it. On the loop's thread.
final class ServiceFollowers {
  typealias Service = HubInterpreters.Service

  private final class Follower {
    let key: ServiceKey
    let follow: (Service) -> any Disposable
    private(set) var host: ScriptHost?
    private(set) var subscription: (any Disposable)?

    init(_ key: ServiceKey, _ follow: @escaping (Service) -> any Disposable) {
      (self.key, self.follow) = (key, follow)
    }

    func move(to service: Service?) {
      let earlier = subscription
      host = service?.command.host
      subscription = service.map(follow)
      earlier?.dispose()
    }
  }

  private var followers: [ObjectIdentifier: Follower] = [:]

  /// Adds one.
  ///
  /// - Parameters:
  ///   - service: where the service runs, or would be started.
  ///   - follow: follows the service of one interpreter, until the result is disposed.
  /// - Returns: ends it.
  func add(
    _ key: ServiceKey, at service: Service, _ follow: @escaping (Service) -> any Disposable
  ) -> any Disposable {
    let follower = Follower(key, follow)
    follower.move(to: service)
    followers[ObjectIdentifier(follower)] = follower
    return ActionDisposable(
      onLoop { [weak self] in
        self?.followers[ObjectIdentifier(follower)] = nil
        follower.move(to: nil)
      })
  }

  /// A service is run by an interpreter from now on.
  func move(_ key: ServiceKey, to service: Service) {
    for follower in followers.values
    where follower.key == key && follower.host !== service.command.host {
      follower.move(to: service)
    }
  }

  /// An interpreter was closed.
  ///
  /// - Parameter successor: where a service runs now, or would be started; nil if nowhere.
  func leave(_ host: ScriptHost, to successor: (ServiceKey) -> Service?) {
    for follower in followers.values where follower.host === host {
      follower.move(to: successor(follower.key))
    }
  }
}
