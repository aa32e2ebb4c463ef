import Digests
import Platform

/// What an execution has made, with the content written into a workplace of the store as far as the store
/// has not got it. It is read once, for the digests and the copy.
struct GatheredOutputs: Sendable {
  fileprivate(set) var outputs: [CachedResult.Output] = []
  fileprivate(set) var new: [(blob: CachedResult.Blob, file: WrittenFile)] = []
  /// What was read, in the order of the paths that the patterns give.
  fileprivate(set) var records: [FileRecord] = []
  /// Both last until the outputs are stored.
  let work: CacheWorkplace
  private let lock: CacheLock

  init(_ cache: ResultCache) throws(CacheProblem) {
    guard makeFolders(above: "\(cache.folder)/tmp/") else { throw .store(cache.folder, errno) }
    lock = try CacheLock.shared(cache)
    work = try cache.workplace()
  }

  /// Lets others remove from the store.
  func release() { lock.release() }

  /// - Throws: `CacheProblem.changed` if what is kept of an execution is not what was gathered.
  func check(_ execution: StoredExecution, in root: String?) throws(CacheProblem) {
    let digests = Dictionary(
      outputs.map { ($0.path, $0.digest) }, uniquingKeysWith: { first, _ in first })
    for record in execution.outputs {
      guard let path = CachePath(record.path, in: root) else { throw .outside(record.path) }
      guard let digest = digests[path] else { throw .changed(path.text) }
      if let digest, record.kind != .file || record.contentDigest != digest {
        throw .changed(path.text)
      }
    }
  }
}

extension CachedResult.Output {
  /// The digest of a file's content; nil for a link or folder.
  fileprivate var digest: [UInt8]? {
    if case .file(_, let blob) = kind { blob.digest } else { nil }
  }
}

extension ResultCache {
  /// Gathers what an execution has made.
  ///
  /// - Parameter known: what was known of its outputs before it began.
  func gather(
    _ terms: UpToDateTerms, _ call: CachedCall, known: [FileRecord],
    isCancelled: @Sendable () -> Bool
  ) throws(CacheProblem) -> GatheredOutputs {
    var gathered = try GatheredOutputs(self)
    let found = try OutputCapture.outputs(terms, call)
    let records = Dictionary(
      known.compactMap { record in CachePath(record.path, in: call.root).map { ($0, record) } },
      uniquingKeysWith: { first, _ in first })
    let work = gathered.work
    let parts = try concurrently(takingPartsOf: found, bytes: \.size) {
      (part: ArraySlice<OutputCapture.Found>) throws(CacheProblem) in
      try gather(part, records, in: call.root, work, isCancelled)
    }
    for part in parts {
      gathered.outputs += part.outputs
      gathered.new += part.new
      gathered.records += part.records
    }
    gathered.records.sort { $0.path.isBefore($1.path) }
    return gathered
  }

  private struct Part: Sendable {
    var outputs: [CachedResult.Output] = []
    var new: [(blob: CachedResult.Blob, file: WrittenFile)] = []
    var records: [FileRecord] = []
  }

  private func gather(
    _ found: ArraySlice<OutputCapture.Found>, _ known: [CachePath: FileRecord], in root: String?,
    _ work: CacheWorkplace, _ isCancelled: @Sendable () -> Bool
  ) throws(CacheProblem) -> Part {
    var part = Part()
    let way = try FolderWay(root: root ?? ".")
    let copy = ContentCopy()
    for output in found {
      if isCancelled() { throw .cancelled }
      let kind: CachedResult.Kind
      switch output.kind {
      case .folder: kind = .folder(mode: output.mode)
      case .link: kind = .link(try linkTarget(of: output.path, way))
      case .regular, .other:
        let blob = try gather(output, known[output.path], way, work, copy, &part)
        kind = .file(mode: output.mode, blob)
      }
      part.outputs.append(CachedResult.Output(path: output.path, kind: kind))
    }
    return part
  }

  private func linkTarget(
    of path: CachePath, _ way: FolderWay
  ) throws(CacheProblem) -> [UInt8] {
    let folder = try way.folder(of: path, .refused)
    return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) {
      space throws(CacheProblem) in
      let count = path.last.withPath {
        readlinkat(folder, $0, space.baseAddress.unsafelyUnwrapped, space.count)
      }
      guard count >= 0 else { throw .system(path.text, errno) }
      return space[..<count].map { UInt8(bitPattern: $0) }
    }
  }

  private func gather(
    _ output: OutputCapture.Found, _ known: FileRecord?, _ way: FolderWay, _ work: CacheWorkplace,
    _ copy: ContentCopy, _ part: inout Part
  ) throws(CacheProblem) -> CachedResult.Blob {
    let path = output.path
    let folder = try way.folder(of: path, .refused)
    let source = path.last.withPath {
      openat(folder, $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    }
    guard source >= 0 else { throw .system(path.text, errno) }
    defer { close(source) }
    let time = Int(WallClock.nanoseconds)
    var before = stat()
    guard fstat(source, &before) == 0 else { throw .system(path.text, errno) }
    if let known, known.kind == .file, known.isSettled, known.describes(before) {
      let blob = CachedResult.Blob(digest: known.contentDigest, size: Int(before.st_size))
      if has(blob) { return blob }
    }
    let blob = try store(source, Int(before.st_size), work, copy, &part) {
      $0.isOfTarget ? .store(self.folder, $0.code) : .system(path.text, $0.code)
    }
    let record = FileRecord(output.name, before, at: time, contentDigest: blob.digest)
    var after = stat()
    guard fstat(source, &after) == 0, blob.size == Int(before.st_size), record.describes(after)
    else { throw .changed(path.text) }
    part.records.append(record)
    return blob
  }

  /// Writes the content of a file into a workplace, if the store has not got it.
  private func store(
    _ source: Int32, _ size: Int, _ work: CacheWorkplace, _ copy: ContentCopy, _ part: inout Part,
    _ problem: (ContentCopy.ErrorNumber) -> CacheProblem
  ) throws(CacheProblem) -> CachedResult.Blob {
    let content: UnsafeRawBufferPointer?
    do throws(ContentCopy.ErrorNumber) {
      content = try copy.content(of: source, size: size)
    } catch { throw problem(error) }
    var blob: CachedResult.Blob?
    if let content {
      var digest = SHA256()
      digest.update(content)
      let found = CachedResult.Blob(digest: digest.finish(), size: content.count)
      if has(found) { return found }
      blob = found
    }
    let file = try UnnamedFile(in: work, of: self)
    let written: CachedResult.Blob
    do throws(ContentCopy.ErrorNumber) {
      if let blob, let content {
        try copy.put(content, of: source, to: file.descriptor)
        written = blob
      } else {
        written = try copy.copy(from: source, to: file.descriptor)
      }
    } catch { throw problem(error) }
    if !has(written) { part.new.append((written, file.close())) }
    return written
  }
}
