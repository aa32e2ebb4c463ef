import Platform

/// The line of those who wait for the same in all processes of the user: first come, first served.
///
/// Each has a locked file whose name says since when it waits. One who waits looks at the nearest file
/// before its own alone, however long the line is.
struct WaitingLine {
  private let folder: String
  private let prefix: String

  /// - Parameter prefix: the beginning of the files' names, which no other line has.
  init(_ prefix: String, in folder: String) { (self.prefix, self.folder) = (prefix, folder) }

  /// True if nobody waits.
  ///
  /// - Throws: the error number if it is not known.
  func isEmpty() throws(LockFileError) -> Bool { try last(before: nil) == nil }

  /// Joins the line at its end, at once if the folder is there, else once `WaitingPlace.isFirst` is asked.
  func join() -> WaitingPlace {
    let file = LockFile("\(folder)/\(prefix)\(UniqueName.next())")
    // A fault is found again when it is asked.
    _ = try? file.lock()
    return WaitingPlace(in: self, file)
  }

  /// The last one in front of a file, nil for the end of the line, without those that are stopped: they
  /// would take nothing. Removes what was left behind.
  fileprivate func last(before file: LockFile?) throws(LockFileError) -> LockFile? {
    for name in try names(inFolder: folder, withPrefix: prefix).sorted(by: >) {
      let path = "\(folder)/\(name)"
      if let file, path >= file.path { continue }
      if let other = try LockFile.existing(path), other.isAwake { return other }
    }
    return nil
  }
}

/// The place in a line of one who waits. Confined to one thread.
final class WaitingPlace {
  private let line: WaitingLine
  private let file: LockFile
  private var predecessor: LockFile?

  fileprivate init(in line: WaitingLine, _ file: LockFile) { (self.line, self.file) = (line, file) }

  /// True once nobody waits in front of this one.
  ///
  /// - Throws: the error number if the file cannot be locked.
  func isFirst() throws(LockFileError) -> Bool {
    // Somebody may have removed it.
    guard try file.lock() else { return false }
    if let predecessor, predecessor.isAwake { return false }
    predecessor = try line.last(before: file)
    return predecessor == nil
  }

  /// Leaves the line.
  func leave() {
    predecessor = nil
    file.remove()
  }
}

extension LockFile {
  /// True if somebody holds it, and goes on: Ctrl-Z stops programs. Removes it if it was left.
  fileprivate var isAwake: Bool {
    !wasLeft() && UniqueName.process(of: path).map(isStopped) != true
  }
}
