import EventLoop
import Platform
import RunnerCore

/// The life of a hub for those that come after it: a file that it has locked as long as it lives, which says
/// which process it is and, once it ends, that it does. On the main thread.
final class HubLife {
  private static let end = "ends"
  /// How long the start of a hub waits for one that lives and has not begun to end, although its socket was
  /// removed. Each looks once a second whether that is there.
  private static let patience = Duration.seconds(10)

  private let file: HeldFile

  private init(_ file: LockFile) {
    self.file = HeldFile(file, in: .shared, saying: "\(getpid())\n")
    // What it says is for messages, and is written again if that fails.
    try? self.file.write()
  }

  /// How a start goes on.
  enum Start {
    /// No other hub lives; nil where no file can be locked, and the hub goes without.
    case begins(HubLife?)
    /// Another hub serves the place.
    case isServed
    /// The client that has started the hub is gone.
    case isUnwanted
  }

  /// Waits until no other hub of a place lives, or one serves it. The lock of the place is released during
  /// the wait, because one that ends may need it.
  ///
  /// - Throws: `HubLifeError` if another one does not end.
  static func start(
    at place: HubPlace, _ lock: HubLock, _ streams: HubStreams
  ) throws(HubLifeError) -> Start {
    HubPlace.removeEndedLives()
    let file = UserFolder.shared.prepare() == nil ? place.lifeLock.map { LockFile($0) } : nil
    let began = EventLoop.now
    while !place.hasServer {
      guard let file, let isFree = try? file.lock() else { return .begins(nil) }
      if isFree { return .begins(HubLife(file)) }
      let lines = String(exactly: fileContent(file.path) ?? []).split(separator: "\n")
      if let predecessor = lines.first.flatMap({ pid_t($0) }) {
        streams.waits(for: predecessor)
        if !lines.contains(Substring(end)), EventLoop.now - began > patience {
          throw .remains(predecessor)
        }
      }
      lock.release()
      guard streams.clientRemains(for: .milliseconds(20)) else { return .isUnwanted }
      lock.acquire()
    }
    return .isServed
  }

  /// Keeps the file where it is while the loop runs.
  func follow(on loop: EventLoop) { file.follow(on: loop) }

  /// Says that the hub ends, which takes as long as its services take.
  func noteEnd() { file.append("\(Self.end)\n") }

  /// Ends it.
  func remove() { file.remove() }
}

/// The reason why a hub does not start.
enum HubLifeError: Error, CustomStringConvertible {
  /// An earlier one lives, and has not begun to end.
  case remains(pid_t)

  var description: String {
    switch self {
    case .remains(let process):
      "the one before it (pid \(process)), whose files were removed, has not begun to end for ten "
        + "seconds; 'kill -CONT \(process)' continues it if it is stopped, 'kill -9 \(process)' ends it"
    }
  }
}
