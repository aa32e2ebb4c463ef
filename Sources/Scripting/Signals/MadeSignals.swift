import LuaRuntime
import Platform

/// Tracks the signals that a command's function makes, to find unused ones: if a `return` is
/// missing before `rac.sh(…)`, for example, nothing runs. Confined to the loop's thread.
///
/// A signal is used when it is returned, subscribed, waited for, emitted, or becomes part of
/// another. An unused one that the script still holds after a collection is stored for later.
final class MadeSignals {
  /// The most signals tracked per execution; a function that does something a thousand times does
  /// it on purpose.
  private static let most = 1_000

  private unowned(unsafe) let host: ScriptHost
  private var made = 0
  private var isOver = false
  /// The number of live, unused signals by the place where they were made.
  private var unused: [String: Int] = [:]
  /// The places of signals that were collected unused.
  private var lost: [String] = []

  init(_ host: ScriptHost) {
    self.host = host
  }

  /// Tracks a signal that the function makes now.
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
    lost.append(place)
  }

  private func forget(_ place: String) {
    guard let count = unused[place] else { return }
    unused[place] = count > 1 ? count - 1 : nil
  }

  /// Handles the function's return: warns of unused signals, in a turn of its own.
  func finish() {
    guard !unused.isEmpty || !lost.isEmpty else { return isOver = true }
    host.scheduler.enqueue(onLoop(report))
  }

  private func report() {
    guard host.interpreter.isOpen else { return }
    // Once for each place: a stored signal will be stored there again.
    if !host.placesOfStoredSignals.isSuperset(of: unused.keys) {
      host.interpreter.collectGarbage()
      host.interpreter.releaseCollected()
      host.placesOfStoredSignals.formUnion(unused.keys)
    }
    isOver = true
    for place in lost where host.placesOfLostSignals.insert(place).inserted {
      host.onLog(
        .warn,
        "\(place): the signal made here was neither returned nor subscribed, so it did nothing; "
          + "is a 'return' missing?")
    }
  }
}

/// A signal that a command's function has made and that has not been used.
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
