import Platform

/// A wait for what the files of a folder that processes share will allow. It keeps the loop running.
/// Confined to the loop's thread.
final class SharedWait<Taken> {
  private let loop: EventLoop
  private let folder: UserFolder
  private let attempt: () throws(SharedFilesError) -> Taken?
  private let onEnd: () -> Void
  private var completion: ((Result<Taken, SharedFilesError>) -> Void)?
  private var watch: FolderEvents?
  private var timer: Timer?
  /// A file is closed before its lock is freed, so that the first looks may come too early.
  private var looks = 0

  /// - Parameters:
  ///   - attempt: returns what was waited for; nil if it cannot be had yet. It may end the wait.
  ///   - onEnd: called once the wait is over, in whatever way.
  ///   - completion: called once on the loop's thread, never from inside `begin()`, unless the wait is
  ///     ended.
  init(
    in folder: UserFolder, on loop: EventLoop,
    attempt: @escaping () throws(SharedFilesError) -> Taken?, onEnd: @escaping () -> Void,
    _ completion: @escaping (Result<Taken, SharedFilesError>) -> Void
  ) {
    self.loop = loop
    self.folder = folder
    self.attempt = attempt
    self.onEnd = onEnd
    self.completion = completion
  }

  func begin() {
    do throws(SharedFilesError) { try folder.makeReady() } catch {
      timer = loop.timer(after: .zero) { [self] in finish(.failure(error)) }
      return
    }
    watch = FolderEvents(folder.path, on: loop) { [weak self] in
      guard let self else { return }
      looks = 0
      look()
    }
    timer = loop.timer(after: .zero) { [self] in look() }
  }

  func end() {
    completion = nil
    watch?.cancel()
    timer?.cancel()
    (watch, timer) = (nil, nil)
    onEnd()
  }

  private func look() {
    guard completion != nil else { return }
    timer?.cancel()
    do throws(SharedFilesError) {
      // Somebody may have removed it.
      try folder.makeReady()
      if let taken = try attempt() { return finish(.success(taken)) }
    } catch { if !error.isPassing { return finish(.failure(error)) } }
    // The attempt may have ended the wait.
    guard completion != nil else { return }
    // The last of these also finds what no event tells of, such as a lock that a file system lost.
    let delays = [Duration.milliseconds(1), .milliseconds(10), .milliseconds(100), .seconds(1)]
    timer = loop.timer(after: delays[min(looks, delays.count - 1)]) { [self] in look() }
    looks += 1
  }

  private func finish(_ result: Result<Taken, SharedFilesError>) {
    let completion = completion
    end()
    completion?(result)
  }
}

/// Why the files that processes share cannot be used.
package struct SharedFilesError: Error, CustomStringConvertible {
  package let folder: String
  package let reason: String
  /// True if the system has too little at the moment, such as descriptors: a wait goes on.
  package var isPassing = false

  package var description: String { "cannot lock files in \(folder): \(reason)" }
}

extension UserFolder {
  /// Makes the folder if it is missing.
  func makeReady() throws(SharedFilesError) {
    if let reason = prepare() { throw SharedFilesError(folder: path, reason: reason) }
  }

  /// Names the folder in the error if `body` fails.
  func files<T>(_ body: () throws(LockFileError) -> T) throws(SharedFilesError) -> T {
    do throws(LockFileError) { return try body() } catch {
      throw SharedFilesError(folder: path, reason: error.reason, isPassing: error.isPassing)
    }
  }
}
