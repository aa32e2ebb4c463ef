import LuaRuntime

/// A subscription that a script has made by `subscribe` and that has not ended.
public struct ActiveSubscription: Sendable {
  /// Its number, which no other subscription of the host has.
  public let number: Int
  /// The `file:line` of the call, if the host has noted it.
  public let place: String?
  /// The name that the script gave the signal.
  public let signalName: String?
}

extension ScriptHost {
  /// The active subscriptions of scripts, the oldest first.
  public var subscriptionsOfScripts: [ActiveSubscription] {
    subscribers.entries.map {
      ActiveSubscription(number: $0.slot + 1, place: $0.place, signalName: $0.signalName)
    }
  }

  /// Disposes an active subscription of a script.
  ///
  /// - Returns: false if there is none with this number.
  public func disposeSubscription(_ number: Int) -> Bool {
    guard let subscriber = subscribers[number - 1] else { return false }
    subscriber.stop()
    return true
  }
}
