import EventLoop

/// What a link knows of the notifications of its connection, and what it does where they do not arrive.
extension ServerLink {
  enum Notifications {
    /// A pooler stands between, or it is not known yet that none does.
    case untested
    case tested(NotificationTest)
    case arriving
    case missing
  }

  /// Begins to find out whether notifications arrive if a pooler stands between. Until that is known,
  /// `onPoll` is called.
  func testNotifications() {
    guard isPooled, !channels.isEmpty, case .untested = notifications else { return }
    let test = NotificationTest(address, on: loop)
    notifications = .tested(test)
    pollLater()
    send("LISTEN \"\(test.channel)\"") { [weak self, weak test] answer in
      // The connection on which it listens may have been lost since.
      guard let self, let test, case .tested(let current) = notifications, current === test,
        case .success = answer
      else { return }
      test.start { [weak self] in self?.conclude(test.channel, doArrive: $0) }
    }
  }

  /// Takes a notification of the connection.
  func receive(_ channel: String, _ payload: String, isIdle: Bool) {
    if case .tested(let test) = notifications, test.take(channel, isIdle: isIdle) { return }
    onNotification(channel, payload)
  }

  /// Knows nothing of notifications any more, as the connection is lost.
  func forgetNotifications() {
    if case .tested(let test) = notifications { test.close() }
    notifications = .untested
    isPooled = false
    polling?.cancel()
    polling = nil
  }

  private func conclude(_ channel: String, doArrive: Bool) {
    send("UNLISTEN \"\(channel)\"")
    if doArrive {
      notifications = .arriving
      polling?.cancel()
      polling = nil
      return
    }
    notifications = .missing
    // Others get them instead.
    for channel in channels { send("UNLISTEN \"\(channel)\"") }
    if hasReportedSilence { return }
    hasReportedSilence = true
    onSilence()
  }

  private func pollLater() {
    polling = loop.timer(after: pollInterval) { [weak self] in
      guard let self else { return }
      if isUp, unanswered == 0 { onPoll() }
      if polling != nil { pollLater() }
    }
    polling?.unref()
  }
}
