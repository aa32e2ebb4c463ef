import CSignals

/// Abandons blocked output when a signal requests the end: a write that waits for a reader must not
/// prevent the run from ending. What is blocked when the signal arrives its handler abandons.
package enum BlockedOutput {
  /// Called before a write after that signal: the reader may only be slow.
  static func abandonIfStuck(_ descriptor: Int32) {
    if Interruption.hasCome { csignals_abandon_if_stuck(descriptor, 100) }
  }
}
