import Platform

/// Entries that the processes of this user on this machine make under one name and read together. An
/// entry is gone with the process that has made it, and with what that has left running if it was killed.
/// Confined to the loop's thread.
///
/// An entry is a locked file, whose name says when it was made, in a folder that all processes of the user
/// have in common. Whoever changes an entry after what the others say has the folder locked meanwhile.
package final class SharedLedger {
  private static let start = "ledger-"

  private struct Own { weak var entry: LedgerEntry? }

  private struct Other {
    let name: String
    let text: String
    let file: LockFile
  }

  private let folder: UserFolder
  private let prefix: String
  private let loop: EventLoop
  /// The entries that were made here, by the names of their files.
  private var own: [String: Own] = [:]
  private var hasSwept = false
  private let onLeftEnded: (_ text: String, _ leaders: [Int32]) -> Void

  /// - Parameters:
  ///   - key: what the entries are about, the same in all processes.
  ///   - onLeftEnded: called when the process groups were ended that the killed holder of an entry had
  ///     left running, with what the entry said, and the leaders.
  package init(
    _ key: LedgerKey, on loop: EventLoop, in folder: UserFolder = .shared,
    onLeftEnded: @escaping (_ text: String, _ leaders: [Int32]) -> Void
  ) {
    self.folder = folder
    self.loop = loop
    self.onLeftEnded = onLeftEnded
    prefix = "\(Self.start)\(key.text)-"
  }

  /// What the entries that were made elsewhere say at present, in the order in which they were made. Those
  /// that cannot be read are missing.
  package var textsOfOthers: [String] { ((try? entriesOfOthers()) ?? []).map(\.text) }

  private func entriesOfOthers() throws(LockFileError) -> [Other] {
    var entries: [Other] = []
    let names = try names(inFolder: folder.path, withPrefix: Self.start)
    for name in names.filter({ $0.hasPrefix(prefix) && own[$0] == nil }).sorted() {
      guard let file = try LockFile.existing("\(folder.path)/\(name)"), !file.wasLeft() else {
        continue
      }
      // The other lines record process groups.
      let text = file.text.prefix { $0 != "\n" }
      entries.append(Other(name: name, text: String(text), file: file))
    }
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

  /// True while a process has an entry, or what it has left running if it was killed.
  ///
  /// - Parameter name: that of the entry.
  package static func hasEntry(
    _ name: String, of key: LedgerKey, in folder: UserFolder = .shared
  ) -> Bool {
    guard name.hasPrefix("\(start)\(key.text)-"), !name.contains("/") else { return false }
    do throws(LockFileError) {
      return try LockFile.existing("\(folder.path)/\(name)").map { !$0.wasLeft() } ?? false
    } catch {
      // It is there, and may be locked.
      return true
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
    let entry = LedgerEntry(name, LockFile("\(folder.path)/\(name)")) { [weak self] in
      self?.own[name] = nil
    }
    own[name] = Own(entry: entry)
    let attempt = { [self] () throws(SharedFilesError) -> LedgerEntry? in
      try folder.files { () throws(LockFileError) in
        try grant(entry, name, wish, decide) ? entry : nil
      }
    }
    do throws(SharedFilesError) {
      try folder.makeReady()
      if let entry = try attempt() {
        completion(.success(entry))
        return nil
      }
    } catch {
      // What cannot be read now may say anything.
      guard error.isPassing else {
        completion(.failure(error))
        return nil
      }
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
    if entry.file.isHeld, !entry.file.isThere { entry.removed = EventLoop.now }
    // Somebody may just take it for one that was left.
    guard try entry.file.lock() else { return false }
    if entry.file.text.isEmpty { try entry.file.write(wish) }
    // Whoever has removed it may have removed others, whose holders make them again first.
    if let removed = entry.removed, EventLoop.now - removed < HeldFile.period * 2 { return false }
    guard let descriptor = try lockFolder() else { return false }
    defer { unlockAndClose(descriptor) }
    let others = try entriesOfOthers()
    let count = others.prefix { $0.name < name }.count
    let texts = others.map(\.text)
    guard let text = decide(Array(texts[..<count]), Array(texts[count...])) else {
      others.forEach(endLeft)
      return false
    }
    try entry.hold(text, in: folder, on: loop)
    return true
  }

  /// Ends what the holder of an entry has left running if it was killed. The entry counts until then.
  private func endLeft(_ other: Other) {
    let file = other.file
    // Another process that has it ends them.
    guard file.takeOver() else { return }
    GroupIdentity.endLeft(GroupIdentity.recorded(in: file.text), on: loop) { [self] leaders in
      file.remove()
      if !leaders.isEmpty { onLeftEnded(other.text, leaders) }
    }
  }

  /// Locks the folder until the descriptor is closed. It is not kept open: the kernel reports the end of a
  /// folder that was removed only once nobody has it open.
  ///
  /// - Returns: nil if somebody else has locked it.
  private func lockFolder() throws(LockFileError) -> Int32? {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LockFileError(code: errno) }
    let code = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
    if code == 0, isOpen(descriptor, at: folder.path) { return descriptor }
    closeDescriptor(descriptor)
    guard [0, EWOULDBLOCK, EINTR].contains(code) else { throw LockFileError(code: code) }
    return nil
  }
}

/// An entry of this process. Confined to the loop's thread.
package final class LedgerEntry {
  /// Its name among all of the user's, for `SharedLedger.hasEntry`.
  package let name: String
  fileprivate let file: LockFile
  /// When it was found to have been removed by somebody else, while it is a wish.
  fileprivate var removed: Duration?
  /// What it says once it is granted; nil while it is a wish.
  private var held: HeldFile?
  private var onRemoval: (() -> Void)?

  fileprivate init(_ name: String, _ file: LockFile, _ onRemoval: @escaping () -> Void) {
    (self.name, self.file) = (name, file)
    self.onRemoval = onRemoval
  }

  deinit { remove() }

  /// Makes it a granted one.
  fileprivate func hold(
    _ text: String, in folder: UserFolder, on loop: EventLoop
  ) throws(LockFileError) {
    let held = HeldFile(file, in: folder, saying: "\(text)\n")
    try held.write()
    held.follow(on: loop)
    self.held = held
  }

  /// Records a process group that uses what the entry says, for others if this process is killed.
  package func began(_ leader: Int32) { held?.record(groupOf: leader) }

  /// Removes the entry.
  package func remove() {
    held?.remove()
    file.remove()
    onRemoval.take()?()
  }
}
