import Platform
import RunnerCore

/// The standard streams of a hub: what it writes goes to its log, and its first client learns by the
/// pipe that it was started with whether it has started. On the main thread.
final class HubStreams {
  private let pipe: Int32
  private let log: String
  private var isAnswered = false
  private var hasToldWait = false
  /// The size from which the log begins again.
  private static let most: off_t = 1 << 20

  /// Takes standard output for the answer, and closes what the client has handed down besides the
  /// standard streams: a hub lives longer than what these belong to.
  init(log: String) {
    self.log = log
    for name in names(inFolder: "/proc/self/fd") ?? [] {
      if let number = Int32(name), number > STDERR_FILENO { close(number) }
    }
    pipe = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
  }

  /// Opens the log in place of standard output and standard error.
  ///
  /// - Throws: `HubError.folder`.
  func openLog() throws(HubError) {
    let file = open(
      log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .folder(log, reason: systemErrorText(errno)) }
    dup2(file, STDOUT_FILENO)
    dup2(file, STDERR_FILENO)
    close(file)
  }

  /// Keeps the log from growing without end.
  func boundLog() {
    var information = stat()
    guard fstat(STDERR_FILENO, &information) == 0, information.st_size > Self.most else { return }
    ftruncate(STDERR_FILENO, 0)
  }

  /// Tells the client that the hub listens, and what it has to tell besides.
  func ready(_ news: [String]) {
    answer(HubStart.ready + news.map { $0 + "\n" }.joined())
  }

  /// Tells the client why the hub does not start.
  func fail(_ error: any Error) { answer("\(error)") }

  /// Tells the client that the hub waits for the end of an earlier one.
  func waits(for process: pid_t) {
    guard !hasToldWait else { return }
    hasToldWait = true
    write(HubStart.wait(for: process))
  }

  /// Pauses for a while.
  ///
  /// - Returns: false once the client no longer waits for the hub.
  func clientRemains(for pause: Duration) -> Bool {
    var reader = pollfd(fd: pipe, events: 0, revents: 0)
    return poll(&reader, 1, Int32(pause.inSeconds * 1_000)) <= 0
  }

  private func answer(_ text: String) {
    guard !isAnswered else { return }
    isAnswered = true
    write(text)
    close(pipe)
  }

  private func write(_ text: String) {
    // A client that has gone does not read it.
    signal(SIGPIPE, SIG_IGN)
    Array(text.utf8).withUnsafeBytes { _ = writeBytes($0, to: pipe) }
  }
}
