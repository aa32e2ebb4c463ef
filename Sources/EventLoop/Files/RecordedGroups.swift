import Platform

/// The process groups that work for the holder of a file, which it records there: if it is killed, what
/// they leave running still uses what it held.
extension HeldFile {
  /// Records the group of a leader.
  func record(groupOf leader: Int32) {
    guard let group = GroupIdentity(leader: leader) else { return }
    append("\(GroupIdentity.word)\(group.text)\n")
  }
}

extension GroupIdentity {
  fileprivate static let word = "group "

  /// The groups that the text of a file records.
  static func recorded(in text: String) -> [GroupIdentity] {
    text.split(separator: "\n").filter { $0.hasPrefix(word) }
      .compactMap { GroupIdentity(text: $0.dropFirst(word.count)) }
  }

  /// Ends the groups of a holder that was killed.
  ///
  /// - Parameter onEnd: called at their end with the leaders of those that ran.
  /// - Returns: what cancels it, as long as it has not begun.
  @discardableResult
  package static func endLeft(
    _ groups: [GroupIdentity], on loop: EventLoop, _ onEnd: @escaping ([Int32]) -> Void
  ) -> Timer {
    // The system ends the holder's own children a moment after it has freed the lock.
    loop.timer(after: .milliseconds(50)) { end(groups, on: loop, onEnd) }
  }
}
