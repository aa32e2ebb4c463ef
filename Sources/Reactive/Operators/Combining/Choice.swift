extension Signal {
  /// Sends the values of one of two signals, selected by a condition. RAC: `if:then:else:`.
  ///
  /// - Values: those of `then` while the latest value of `condition` is true, those of `else` while it
  ///   is false; none before the first. Each value of `condition` subscribes anew.
  /// - Error: of the condition or of the signal that is running.
  /// - Completion: when the condition and the signal chosen last have completed.
  /// - Disposal: disposes the condition and the signal that is running. On a change, that one is
  ///   disposed before the other is subscribed to.
  /// - Scheduler: a signal is subscribed to where the condition sends; the rest is that signal's.
  public static func `if`(
    _ condition: Signal<Bool>, then first: Signal<Value>, else second: Signal<Value>
  ) -> Signal<Value> {
    condition.map { $0 ? first : second }.switchToLatest()
  }

  /// Sends the values of one of several signals, selected by a signal of keys. RAC:
  /// `switch:cases:default:`.
  ///
  /// - Values: those of the signal for the latest key; none before the first key. Each key subscribes
  ///   anew.
  /// - Error: of the keys or of the signal that is running, or `SwitchError.noMatchingCase` at a key
  ///   that has no signal, if there is no default.
  /// - Completion: when the keys and the signal chosen last have completed.
  /// - Disposal: disposes the keys and the signal that is running. On a change, that one is disposed
  ///   before the next is subscribed to.
  /// - Scheduler: a signal is subscribed to where a key comes; the rest is that signal's.
  public static func `switch`<Key: Hashable & Sendable>(
    _ keys: Signal<Key>, cases: [Key: Signal<Value>], default other: Signal<Value>? = nil
  ) -> Signal<Value> {
    keys.map { key in
      cases[key] ?? other ?? .error(SwitchError.noMatchingCase("\(key)"))
    }
    .switchToLatest()
  }
}

/// Why a choice between signals failed.
public enum SwitchError: Error, Hashable {
  /// There is no signal for this key, and no default.
  case noMatchingCase(String)
}

extension SwitchError: CustomStringConvertible {
  /// The key.
  public var description: String {
    switch self {
    case .noMatchingCase(let key): "no signal for the key '\(key)', and no default"
    }
  }
}
