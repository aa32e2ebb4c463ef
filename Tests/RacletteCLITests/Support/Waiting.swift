import Platform
import Testing

/// Asks until something is so, for a minute at most; an issue of the caller's place if it does not come to
/// be so. A test that waits for ever reports nothing.
///
/// - Returns: whether it came to be so.
@discardableResult
func eventually(
  sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () -> Bool
) -> Bool {
  for _ in 0..<60_000 {
    if isSo() { return true }
    poll(nil, 0, 1)
  }
  if isSo() { return true }
  Issue.record("waited in vain for a minute", sourceLocation: sourceLocation)
  return false
}

/// True if a process has ended, even if its parent has not reaped it yet: the first process of a
/// container, whose children orphans become, may take its time.
func hasEnded(_ process: pid_t) -> Bool {
  guard kill(process, 0) == 0 else { return true }
  let fields = String(decoding: fileContent("/proc/\(process)/stat") ?? [], as: UTF8.self)
  // The name, in parentheses, can contain anything.
  return fields.split(separator: ")").last?.hasPrefix(" Z") ?? true
}

/// Calls the system again as often as a signal interrupts it: one for the children of another test comes
/// on any thread.
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

/// Writes all bytes.
///
/// - Returns: false if the other end takes no more.
@discardableResult
func writeWhole(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  writeAll(bytes, to: descriptor) == 0
}

/// Waits until a child has stopped, as by Ctrl-Z, or has ended.
func waitForStop(of pid: pid_t, sourceLocation: SourceLocation = #_sourceLocation) {
  var status: Int32 = 0
  eventually(sourceLocation: sourceLocation) { waitpid(pid, &status, WUNTRACED | WNOHANG) != 0 }
}

/// Waits for the end of a child, which is killed if it does not come, with an issue.
///
/// - Returns: the exit status; that of a shell, 128 and the number, for a child that a signal ended.
func exitStatus(of pid: pid_t, sourceLocation: SourceLocation = #_sourceLocation) -> Int32 {
  var status: Int32 = 0
  if !eventually(sourceLocation: sourceLocation, { waitpid(pid, &status, WNOHANG) != 0 }) {
    kill(pid, SIGKILL)
    _ = uninterrupted { waitpid(pid, &status, 0) }
  }
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
}
