import LuaRuntime
import Platform

/// Tracks the signals that a coroutine makes, to find unused ones: if a `return` is missing before
/// `rac.sh(…)`, for example, nothing runs. Confined to the loop's thread.
///
/// A signal is used when it is returned, subscribed, waited for, emitted, or becomes part of
/// another. An unused one that something holds when the function has returned may be used later; one
/// that nothing holds is lost. Of those that the top level of a script makes, only those that it drops
/// at once are tracked: what it keeps in a variable is there for its functions.
final class MadeSignals {
  /// The most signals tracked per coroutine; a function that does something a thousand times does
  /// it on purpose.
  private static let most = 1_000

  /// Where signals are made.
  enum Code {
    /// A function of a command.
    case function
    /// The top level of a script.
    case script
  }

  private unowned(unsafe) let host: ScriptHost
  private let code: Code
  private var made = 0
  private var isOver = false
  /// The number of live, unused signals by the place where they were made.
  private var unused: [String: Int] = [:]
  /// The places of signals that were collected unused, each once, in the order of their loss.
  private var lost: [String] = []

  init(_ host: ScriptHost, in code: Code) {
    self.host = host
    self.code = code
  }

  /// Tracks a signal that the code makes now.
  func add(_ object: SignalObject) {
    guard made < Self.most, let place = host.placeOfCall() else { return }
    made += 1
    unused[place, default: 0] += 1
    object.making = Making(self, place)
  }

  fileprivate func used(at place: String) { forget(place) }

  fileprivate func lost(at place: String) {
    guard !isOver else { return }
    forget(place)
    if !lost.contains(place) { lost.append(place) }
  }

  private func forget(_ place: String) {
    guard let count = unused[place] else { return }
    unused[place] = count > 1 ? count - 1 : nil
  }

  /// True if every signal that was made is used.
  var areAllUsed: Bool { unused.isEmpty && lost.isEmpty }

  /// Collects what nothing holds any more and ends the tracking. Call it when the code has returned,
  /// outside all Lua code.
  ///
  /// - Returns: the failure for signals that are lost; nil if there are none.
  func conclude() -> Failure? {
    if !unused.isEmpty {
      host.interpreter.collectGarbage()
      host.interpreter.releaseCollected()
    }
    isOver = true
    guard let first = lost.first else { return nil }
    // A collection finds them in no order.
    let places = lost.sorted { SourceLocation(text: $0).isBefore(SourceLocation(text: $1)) }
    if let report = host.reportMistake {
      for place in places { report("\(place): \(Self.problem(in: code))") }
      return nil
    }
    guard places.count > 1 else {
      return SourceLocation(text: first).failure(Self.problem(in: code))
    }
    let others = places.dropFirst().joined(separator: ", ")
    return SourceLocation(text: places[0]).failure(
      Self.problem("the signals made here and at \(others) were", "they", "them", in: code))
  }

  /// The problem with a signal that was made at a place.
  static func problem(in code: Code) -> String {
    problem("the signal made here was", "it", "it", in: code)
  }

  private static func problem(
    _ subject: String, _ pronoun: String, _ object: String, in code: Code
  ) -> String {
    switch code {
    case .function:
      "\(subject) neither returned nor subscribed, so \(pronoun) did nothing; "
        + "is 'return' missing before \(object), or ':wait()' after \(object)?"
    case .script:
      "\(subject) not subscribed, so \(pronoun) did nothing; "
        + "is ':wait()' missing after \(object), or the command around \(object)?"
    }
  }
}

/// A signal that tracked code has made and that has not been used.
final class Making {
  private let signals: MadeSignals
  private let place: String
  private var isUsed = false

  fileprivate init(_ signals: MadeSignals, _ place: String) {
    self.signals = signals
    self.place = place
  }

  deinit { if !isUsed { signals.lost(at: place) } }

  func use() {
    guard !isUsed else { return }
    isUsed = true
    signals.used(at: place)
  }
}
