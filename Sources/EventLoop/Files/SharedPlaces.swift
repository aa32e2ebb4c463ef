import Platform

/// The numbered places under one name, each of which one process of this user on this machine holds at a
/// time. Confined to the loop's thread.
///
/// A place is a locked file in a folder that all processes of the user have in common. The system frees
/// it with its holder, however that ends, and those who wait notice because the file is closed.
package final class SharedPlaces {
  /// Who holds a place.
  package struct Holder: Sendable {
    package let process: Int32
    /// The folder that it works in.
    package let folder: String
    /// In seconds since 1970.
    package let since: Double
    /// The leaders of the process groups that work for it.
    package let leaders: [Int32]
  }

  private let folder: UserFolder
  private let prefix: String
  private let line: WaitingLine
  private let loop: EventLoop
  private var files: [LockFile] = []

  /// - Parameter key: what the places belong to, the same in all processes, as part of a file name.
  package init(_ key: String, on loop: EventLoop, in folder: UserFolder = .shared) {
    self.folder = folder
    self.loop = loop
    prefix = "\(folder.path)/place-\(key)"
    line = WaitingLine("place-\(key)-wait-", in: folder.path)
  }

  /// Takes a place if one is free and nobody waits for it.
  ///
  /// - Parameter count: the number of places.
  /// - Throws: `SharedFilesError` if places cannot be locked.
  package func take(of count: Int) throws(SharedFilesError) -> SharedPlace? {
    try folder.files(line.isEmpty) ? takeFree(of: count) : nil
  }

  private func takeFree(of count: Int) throws(SharedFilesError) -> SharedPlace? {
    try folder.makeReady()
    for number in 0..<count {
      if number == files.count { files.append(LockFile("\(prefix)-\(number)")) }
      guard try folder.files(files[number].lock) else { continue }
      defer { files[number] = LockFile(files[number].path) }
      return try folder.files { () throws(LockFileError) in
        try SharedPlace(files[number], in: folder, on: loop)
      }
    }
    return nil
  }

  /// The processes that hold places now, the one that has done so for longest first. The places are only
  /// looked at.
  ///
  /// - Parameter count: the number of places.
  package func holders(of count: Int) -> [Holder] {
    (0..<count)
      .compactMap { fileContent("\(prefix)-\($0)").flatMap { Holder(String(exactly: $0)) } }
      // The file of a killed one stays.
      .filter { kill($0.process, 0) == 0 }
      .sorted { $0.since < $1.since }
  }

  /// Asks the process that has held a place for longest to give it back, once; see
  /// `SharedPlace.onWanted`.
  package func claimOldest() {
    let known = files.compactMap { file in Holder(file.text).map { (file, $0) } }
    guard let oldest = known.min(by: { $0.1.since < $1.1.since })?.0,
      !SharedPlace.isWanted(oldest.text)
    else { return }
    oldest.append("\(SharedPlace.wanted)\n")
  }

  /// Takes a place as soon as one is free, in the order in which processes have begun to wait.
  ///
  /// - Parameters:
  ///   - count: returns the number of places.
  ///   - onBusy: called whenever none is free. It may end the wait.
  ///   - completion: called once on the loop's thread, never from inside this call.
  /// - Returns: ends the wait; `completion` is not called any more.
  package func take(
    of count: @escaping () -> Int, onBusy: @escaping () -> Void,
    whenFree completion: @escaping (Result<SharedPlace, SharedFilesError>) -> Void
  ) -> () -> Void {
    let waiting = line.join()
    let wait = SharedWait<SharedPlace>(
      in: folder, on: loop,
      attempt: { [self] () throws(SharedFilesError) in
        if try folder.files(waiting.isFirst), let place = try takeFree(of: count()) { return place }
        onBusy()
        return nil
      },
      onEnd: waiting.leave, completion)
    wait.begin()
    return { wait.end() }
  }
}

extension SharedPlaces.Holder {
  /// Reads what a holder has written.
  fileprivate init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 3, let process = Int32(lines[0]), let since = Double(lines[1]) else {
      return nil
    }
    self.init(
      process: process, folder: String(lines[2]), since: since,
      leaders: GroupIdentity.recorded(in: text).map(\.leader))
  }
}

/// A place that this process holds. Confined to the loop's thread.
package final class SharedPlace {
  fileprivate static let wanted = "wanted"

  /// The process groups of a holder that was killed, which may still run.
  package let left: [GroupIdentity]
  private let file: HeldFile
  private let folder: UserFolder
  private let loop: EventLoop
  private var watch: FolderEvents?

  /// - Parameter file: its file, whose lock is held.
  fileprivate init(
    _ file: LockFile, in folder: UserFolder, on loop: EventLoop
  ) throws(LockFileError) {
    (self.folder, self.loop) = (folder, loop)
    left = GroupIdentity.recorded(in: file.text)
    let current = currentFolder().map { $0.replacing("\n", with: "?") } ?? "?"
    self.file = HeldFile(
      file, in: folder, saying: "\(getpid())\n\(WallClock.seconds)\n\(current)\n")
    try self.file.write()
    self.file.follow(on: loop)
  }

  deinit { release() }

  /// True if another process wants the place, by the content of its file.
  fileprivate static func isWanted(_ text: String) -> Bool {
    text.split(separator: "\n").dropFirst(3).contains { $0 == wanted }
  }

  /// Records a process group that works for the holder, for the one who has the place next.
  package func began(_ leader: Int32) { file.record(groupOf: leader) }

  /// Calls `body` once when another process wants the place.
  package func onWanted(_ body: @escaping () -> Void) {
    watch = FolderEvents(folder.path, on: loop) { [weak self] in
      self?.answer(body)
    }
    // It may be wanted since before the watch.
    _ = loop.timer(after: .zero) { [weak self] in self?.answer(body) }
  }

  private func answer(_ body: () -> Void) {
    guard watch != nil, Self.isWanted(file.content) else { return }
    watch?.cancel()
    watch = nil
    body()
  }

  /// Gives the place back.
  package func release() {
    watch?.cancel()
    watch = nil
    file.remove()
  }
}
