extension Signal {
  /// Shares one subscription to this signal through a subject, once it is connected. RAC:
  /// `multicast:`.
  ///
  /// - Values: of the connection's signal, what the subject sends.
  /// - Error: sent to the subject.
  /// - Completion: sent to the subject.
  /// - Disposal: of a subscriber, concerns that one only; of the connection, disposes this signal.
  /// - Scheduler: this signal's.
  public func multicast(_ subject: Subject<Value>) -> MulticastConnection<Value> {
    // Wraps the signal instead of capturing it: a connection must not keep a subject alive.
    MulticastConnection(Signal(self), subject)
  }

  /// Shares one subscription to this signal, once it is connected, among all current subscribers.
  /// RAC: `publish`.
  ///
  /// - Values: of the connection's signal, the source's while a subscriber is there.
  /// - Error: remembered for late subscribers.
  /// - Completion: remembered for late subscribers.
  /// - Disposal: of a subscriber, concerns that one only; of the connection, disposes this signal.
  /// - Scheduler: this signal's.
  public func publish() -> MulticastConnection<Value> {
    multicast(Subject())
  }
}
