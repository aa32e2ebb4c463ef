/// What processes have done with files, each a number, in the order in which they did it.
struct FileUses {
  struct Use {
    var isRead = false
    var isWritten = false {
      didSet { wasWritten = wasWritten || isWritten }
    }
    private(set) var wasWritten = false
    /// True if it was there before the first writing, as far as it was asked for.
    var isLookedAt = false
    /// True if it was removed, and was there before: the processes had not written it.
    var isDeleted = false
  }

  private(set) var all: [Int32: Use] = [:]
  private var madeFolders: Set<Int32> = []

  /// A file that was written before is none of the sources.
  mutating func read(_ file: Int32) {
    if all[file]?.isWritten != true { all[file, default: Use()].isRead = true }
  }

  mutating func look(_ file: Int32) {
    if all[file]?.isWritten != true { all[file, default: Use()].isLookedAt = true }
  }

  mutating func write(_ file: Int32) { all[file, default: Use()].isWritten = true }

  mutating func remove(_ file: Int32) {
    var use = all[file, default: Use()]
    if !use.wasWritten, !madeFolders.contains(file) { use.isDeleted = true }
    use.isWritten = false
    all[file] = use
  }

  mutating func makeFolder(_ folder: Int32) { madeFolders.insert(folder) }

  /// Notes that something has another path now, and with a folder everything in it.
  ///
  /// - Parameters:
  ///   - isFolder: true if there is a folder at the new path now.
  ///   - path: returns the path of a file.
  ///   - number: returns the number of a path.
  mutating func move(
    _ file: Int32, to target: Int32, isFolder: Bool, path: (Int32) -> String,
    number: (String) -> Int32
  ) {
    remove(file)
    write(target)
    guard isFolder || madeFolders.contains(file) else { return }
    let old = path(file) + "/"
    let new = path(target) + "/"
    for (file, use) in all where use.isWritten {
      let name = path(file)
      guard name.hasPrefix(old) else { continue }
      remove(file)
      write(number(new + name.dropFirst(old.count)))
    }
  }
}
