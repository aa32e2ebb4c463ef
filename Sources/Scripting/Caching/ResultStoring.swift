import Digests
import Platform

/// What is to be stored of an execution that has succeeded.
struct ResultDraft: Sendable {
  var key: CacheKey
  var call: CachedCall
  var terms: UpToDateTerms
  /// What counts the next time, with the records of the files.
  var execution: StoredExecution
  /// The values, and what was printed.
  var said: RecordedValues
  var seconds: Double
}

extension ResultCache {
  /// Stores what an execution has made. The entry gets its name last, when all that it names has been
  /// written to the disk.
  ///
  /// - Throws: `CacheProblem` if nothing is stored.
  func store(
    _ draft: ResultDraft, isCancelled: @Sendable () -> Bool
  ) throws(CacheProblem) {
    if let problem = draft.said.problem { throw .unkeepable(problem) }
    guard makeFolders(above: "\(folder)/tmp/") else { throw .store(folder, errno) }
    do {
      guard let lock = CacheLock.shared(self) else { throw CacheProblem.store(folder, errno) }
      let result = Result { () throws(CacheProblem) in try put(draft, isCancelled) }
      withExtendedLifetime(lock) {}
      _ = try result.get()
    }
    keepToBound()
  }

  private func put(
    _ draft: ResultDraft, _ isCancelled: @Sendable () -> Bool
  ) throws(CacheProblem) {
    let found = try OutputCapture.outputs(draft.terms, draft.call)
    let known = Dictionary(
      draft.execution.outputs.map { ($0.path.inCheckout(draft.call.root), $0) },
      uniquingKeysWith: { first, _ in first })
    let work = try CacheWorkplace(self)
    let parts = try concurrently(over: found) {
      (found: ArraySlice<OutputCapture.Found>) throws(CacheProblem) in
      try store(found, known, in: draft.call.root, work, isCancelled)
    }
    let new = parts.flatMap(\.new)
    for (_, file) in new { try file.sync() }
    for (blob, file) in new { try file.name(place(of: blob)) }
    var writer = ByteWriter()
    draft.said.write(to: &writer)
    var about = draft.execution
    (about.outputs, about.values) = ([], RecordedValues())
    var result = CachedResult(
      said: try write(writer.bytes), about: try write(about.bytes), seconds: draft.seconds)
    result.outputs = parts.flatMap(\.outputs)
    if isCancelled() { throw .cancelled }
    try withExtendedLifetime(work) { () throws(CacheProblem) in
      try write(with(draft, &result), draft)
    }
    note { $0.bytes += new.reduce(result.bytes.count) { $0 + $1.blob.size } }
  }

  /// Gives a result the files that its depfile named.
  ///
  /// - Returns: its key.
  private func with(
    _ draft: ResultDraft, _ result: inout CachedResult
  ) -> (key: CacheKey, result: CachedResult) {
    guard draft.terms.depfiles != nil else { return (draft.key, result) }
    result.dependencies = draft.execution.dependencies.map {
      $0.path.inCheckout(draft.call.root)
    }
    return (draft.key.with(draft.execution.dependencies, in: draft.call.root), result)
  }

  private func write(
    _ entry: (key: CacheKey, result: CachedResult), _ draft: ResultDraft
  ) throws(CacheProblem) {
    try write(entry.result.bytes, entry.key)
    if draft.terms.depfiles != nil {
      var lists = dependencyLists(draft.key) ?? DependencyLists()
      lists.add(entry.result.dependencies)
      try write(lists.bytes, draft.key)
    }
    try writeLast(entry.key, of: draft.call)
  }

  private struct Part: Sendable {
    var outputs: [CachedResult.Output] = []
    var new: [(blob: CachedResult.Blob, file: WrittenFile)] = []
  }

  private func store(
    _ found: ArraySlice<OutputCapture.Found>, _ known: [String: FileRecord], in root: String?,
    _ work: CacheWorkplace, _ isCancelled: @Sendable () -> Bool
  ) throws(CacheProblem) -> Part {
    var part = Part()
    let way = try FolderWay(root: root ?? ".")
    for output in found {
      if isCancelled() { throw .cancelled }
      let kind: CachedResult.Kind
      switch output.kind {
      case .folder: kind = .folder(mode: output.mode)
      case .link: kind = .link(try linkTarget(of: output.path, way))
      case .regular, .other:
        let record = known[output.path.text]
        kind = .file(mode: output.mode, try blob(of: output, record, way, work, &part))
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

  private func blob(
    of output: OutputCapture.Found, _ record: FileRecord?, _ way: FolderWay, _ work: CacheWorkplace,
    _ part: inout Part
  ) throws(CacheProblem) -> CachedResult.Blob {
    if let record, record.kind == .file {
      let blob = CachedResult.Blob(digest: record.contentDigest, size: output.size)
      if has(blob) { return blob }
    }
    let path = output.path
    let folder = try way.folder(of: path, .refused)
    let source = path.last.withPath {
      openat(folder, $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    }
    guard source >= 0 else { throw .system(path.text, errno) }
    defer { close(source) }
    let file = try UnnamedFile(in: work)
    switch ContentCopy.copy(from: source, to: file.descriptor) {
    case .failure(let error):
      throw error.isOfTarget ? .store(self.folder, error.code) : .system(path.text, error.code)
    case .success(let blob):
      if let record, record.kind == .file, record.contentDigest != blob.digest {
        throw .changed(path.text)
      }
      // Several outputs may have the same content.
      if !has(blob) { part.new.append((blob, file.close())) }
      return blob
    }
  }
}
