import Platform

/// A locked file that says what this process holds, until it is removed. If somebody else removes it, as
/// programs do that clean temporary folders of old files, it is made again within a second, or as soon as
/// that is possible. Confined to one thread.
package final class HeldFile {
  /// How often it is looked for.
  static let period = Duration.seconds(1)

  private let file: LockFile
  private let folder: UserFolder
  private var text: String
  /// True while the file says all of the text.
  private var isWritten = false
  private var timer: Timer?

  /// - Parameters:
  ///   - file: a file in the folder, whose lock is held.
  ///   - text: what it is to say, once `write` is called.
  package init(_ file: LockFile, in folder: UserFolder, saying text: String) {
    (self.file, self.folder, self.text) = (file, folder, text)
  }

  deinit { remove() }

  /// What the file says, with what other processes have added.
  var content: String { file.text }

  /// Writes what the file says.
  ///
  /// - Throws: the error number if it cannot be written. What was not written is written again later.
  package func write() throws(LockFileError) {
    isWritten = false
    try file.write(text)
    isWritten = true
  }

  /// Adds to what the file says.
  package func append(_ addition: String) {
    text += addition
    if !file.append(addition) { isWritten = false }
  }

  /// Looks each second whether the file is there. This does not keep the loop running.
  package func follow(on loop: EventLoop) {
    timer?.cancel()
    timer = loop.timer(at: EventLoop.nextSecond(), every: Self.period) { [weak self] in
      self?.restore()
    }
    timer?.unref()
  }

  /// Makes the file again if it is missing, or does not say all of the text.
  func restore() {
    guard file.isHeld, !isWritten || !file.isThere else { return }
    isWritten = false
    // What fails now is tried again with the next call.
    guard folder.prepare() == nil, (try? file.lock()) == true else { return }
    try? write()
  }

  /// Removes the file.
  package func remove() {
    timer?.cancel()
    timer = nil
    file.remove()
  }
}
