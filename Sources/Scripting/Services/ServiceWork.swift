/// The work of a service: one run of it from its start until nothing of it is left. Confined to the
/// loop's thread.
protocol ServiceWork: AnyObject {
  /// What its own work has begun with; nil before.
  var basis: ServiceBasis? { get }
  /// Starts; what happens is reported to the observer, `workEnded` last and once.
  func start(_ observer: any ServiceWorkObserver)
  /// Asks for the end, which `workEnded` reports once nothing is left.
  func stop()
  /// Kills what is left after `stop`.
  func kill()
}

/// Receives what happens to the work of a service, also from inside its methods.
protocol ServiceWorkObserver: AnyObject {
  /// The service's own work begins: what it needs is there, and the resources that it uses are its own.
  func workHasBegun(_ work: any ServiceWork)
  /// The work waits for resources before it begins.
  func work(_ work: any ServiceWork, waitsFor contention: Contention)
  /// A process leads the work now.
  func work(_ work: any ServiceWork, isLedBy process: Int32)
  /// The probe has answered.
  func work(_ work: any ServiceWork, answered answer: ProbeAnswer)
  /// Nothing of the work is left.
  func work(_ work: any ServiceWork, endedWith end: ServiceEnd)
}

/// The end of the work of a service.
struct ServiceEnd: Equatable {
  /// Why it has failed, as a sentence without its end; nil if it has ended without a failure.
  var failure: String?
  /// The kind of the failure that has led to its own; nil for the end of its process.
  var cause: Failure.Kind?
  /// The exit status by which it has failed, if that is how.
  var code: Int32?
  /// The last lines that it has printed.
  var lines: [String] = []
  /// The grace period after which it had to be killed; nil if it has ended by itself.
  var killedAfter: Duration?
}

/// The time, as a service needs it.
protocol ServiceClock {
  /// The time on a clock that only advances.
  var now: Duration { get }
  /// Milliseconds since 1970.
  var milliseconds: Int64 { get }
  /// Calls `body` after a time, unless the result is called before.
  func after(_ delay: Duration, _ body: @escaping () -> Void) -> () -> Void
}
