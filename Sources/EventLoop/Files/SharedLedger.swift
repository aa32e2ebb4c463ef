import Platform

/// Entries that the processes of this user on this machine make under one name and read together. An
/// entry is gone with the process that has made it. Confined to the loop's thread.
///
/// An entry is a locked file, whose name says when it was made, in a folder that all processes of the user
/// have in common. Whoever changes an entry after what the others say has the folder locked meanwhile.
package final class SharedLedger {
  private static let start = "ledger-"

  private let folder: UserFolder
  private let prefix: String
  private let loop: EventLoop
  /// The names of the entries that were made here.
  private var own: Set<String> = []
  /// The files of the others by their names. They stay open: all who wait are notified of a file that is
  /// closed, and would look again.
  private var others: [String: LockFile] = [:]
  private var hasSwept = false
  private var folderDescriptor: Int32 = -1

  /// - Parameter key: what the entries are about, the same in all processes.
  package init(_ key: LedgerKey, on loop: EventLoop, in folder: UserFolder = .shared) {
    self.folder = folder
    self.loop = loop
    prefix = "\(Self.start)\(key.text)-"
  }

  deinit { if folderDescriptor >= 0 { close(folderDescriptor) } }

  /// What the entries that were made elsewhere say at present, in the order in which they were made. Those
  /// that cannot be read are missing.
  package var textsOfOthers: [String] { ((try? entriesOfOthers()) ?? []).map(\.text) }

  private func entriesOfOthers() throws(LockFileError) -> [(name: String, text: String)] {
    var present: [String: LockFile] = [:]
    var entries: [(String, String)] = []
    let names = (names(inFolder: folder.path) ?? []).filter { $0.hasPrefix(Self.start) }
    for name in names.filter({ $0.hasPrefix(prefix) && !own.contains($0) }).sorted() {
      var known = others[name]
      if known == nil { known = try LockFile.existing("\(folder.path)/\(name)") }
      guard let file = known, !file.wasLeft() else { continue }
      present[name] = file
      entries.append((name, file.text))
    }
    others = present
    sweep(names)
    return entries
  }

  /// Removes, once, what killed processes have left in other ledgers, which nobody else may look at.
  private func sweep(_ names: [String]) {
    guard !hasSwept else { return }
    hasSwept = true
    for name in names where !name.hasPrefix(prefix) {
      _ = (try? LockFile.existing("\(folder.path)/\(name)"))?.wasLeft()
    }
  }

  /// Makes an entry that is a wish until what the others say allows what is wished for.
  ///
  /// - Parameters:
  ///   - wish: what the entry says meanwhile.
  ///   - decide: returns what the entry says once the wish is granted; nil as long as it is not. It gets
  ///     what the entries say that were made elsewhere before it, and after it.
  ///   - completion: called once, perhaps inside this call.
  /// - Returns: nil if it was called; else what gives the wish up.
  package func enter(
    _ wish: String, _ decide: @escaping (_ before: [String], _ after: [String]) -> String?,
    _ completion: @escaping (Result<LedgerEntry, SharedFilesError>) -> Void
  ) -> (() -> Void)? {
    let name = prefix + UniqueName.next()
    let entry = LedgerEntry(LockFile("\(folder.path)/\(name)")) { [weak self] in
      self?.own.remove(name)
    }
    own.insert(name)
    let attempt = { [self] () throws(SharedFilesError) -> LedgerEntry? in
      try folder.files { () throws(LockFileError) in
        do throws(LockFileError) { return try grant(entry, name, wish, decide) ? entry : nil } catch
        {
          // What cannot be read now may say anything.
          if error.isPassing { return nil }
          throw error
        }
      }
    }
    do throws(SharedFilesError) {
      try folder.makeReady()
      if let entry = try attempt() {
        completion(.success(entry))
        return nil
      }
    } catch {
      completion(.failure(error))
      return nil
    }
    let wait = SharedWait(in: folder, on: loop, attempt: attempt, onEnd: {}, completion)
    wait.begin()
    return {
      wait.end()
      entry.remove()
    }
  }

  private func grant(
    _ entry: LedgerEntry, _ name: String, _ wish: String, _ decide: ([String], [String]) -> String?
  ) throws(LockFileError) -> Bool {
    if !entry.file.isHeld {
      // Somebody may just take it for one that was left.
      guard try entry.file.lock() else { return false }
      try entry.file.write(wish)
    }
    guard try lockFolder() else { return false }
    defer { flock(folderDescriptor, LOCK_UN) }
    let others = try entriesOfOthers()
    let count = others.prefix { $0.name < name }.count
    let texts = others.map(\.text)
    guard let text = decide(Array(texts[..<count]), Array(texts[count...])) else { return false }
    try entry.file.write(text)
    return true
  }

  private func lockFolder() throws(LockFileError) -> Bool {
    if folderDescriptor < 0 {
      folderDescriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard folderDescriptor >= 0 else { throw LockFileError(code: errno) }
    }
    if flock(folderDescriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK || errno == EINTR else { throw LockFileError(code: errno) }
    return false
  }
}

/// An entry of this process. Confined to the loop's thread.
package final class LedgerEntry {
  fileprivate let file: LockFile
  private var onRemoval: (() -> Void)?

  fileprivate init(_ file: LockFile, _ onRemoval: @escaping () -> Void) {
    self.file = file
    self.onRemoval = onRemoval
  }

  deinit { remove() }

  /// Removes the entry.
  package func remove() {
    file.remove()
    onRemoval.take()?()
  }
}
