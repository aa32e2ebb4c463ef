import Digests
import Platform

/// The results of the user's cached commands, in one folder for all checkouts and programs.
///
///     cas/ab/abcd…   bytes, by their SHA-256
///     ac/ab/abcd…    a result, by its key
///     last/abcd…     the key of the latest result of a command with an input
///     tmp/           what is being written
///     lock           shared by those who store and restore, taken alone to remove
///     usage          how much there is, and how often it was of use
///
/// All that has a final name was complete before it got it, but nothing waits for the disk: after a power
/// failure a file may be empty or cut. Every digest is verified when a file is read, so that such an entry
/// is not there. From any thread and in several programs at once.
package final class ResultCache: Sendable {
  /// The folder of the store.
  package let folder: String
  /// The most bytes that are kept.
  package let bound: Int

  /// The bound unless `RACLETTE_CACHE_SIZE` sets another: 10 GiB.
  package static let usualBound = 10 << 30
  /// The variable that sets the bound: a size such as `20G`, or 0 for no cache.
  package static let variable = "RACLETTE_CACHE_SIZE"

  /// Uses a folder, which is made when the first result is stored.
  package init(folder: String, bound: Int) { (self.folder, self.bound) = (folder, bound) }

  /// The folder of the user's store; nil if no variable tells it.
  package static var userFolder: String? {
    let cache =
      ProcessEnvironment.folder(of: "XDG_CACHE_HOME")
      ?? ProcessEnvironment.folder(of: "HOME").map { "\($0)/.cache" }
    return cache.map { "\($0)/raclette/results" }
  }

  // MARK: Places

  func place(of blob: CachedResult.Blob) -> String { place("cas", blob.digest.hexadecimal) }
  func place(of key: CacheKey) -> String { place("ac", key.name) }
  func placeOfLast(_ call: CachedCall) -> String {
    "\(folder)/last/\(call.identity.hexadecimal)"
  }

  private func place(_ kind: String, _ name: String) -> String {
    "\(folder)/\(kind)/\(name.prefix(2))/\(name)"
  }

  // MARK: Reading

  /// What is stored under a key; nil if nothing is.
  ///
  /// - Throws: `CacheProblem.damaged`, after which nothing is.
  func result(_ key: CacheKey) throws(CacheProblem) -> CachedResult? {
    guard let bytes = fileContent(place(of: key)) else { return nil }
    // A power failure came before the disk had it.
    if bytes.isEmpty {
      drop(key)
      return nil
    }
    do { return try CachedResult(bytes) } catch {
      drop(key)
      throw error
    }
  }

  func dependencyLists(_ key: CacheKey) -> DependencyLists? {
    guard let bytes = fileContent(place(of: key)) else { return nil }
    let lists = try? DependencyLists(bytes)
    if lists == nil { drop(key) }
    return lists
  }

  /// The content of a blob.
  ///
  /// - Throws: `CacheProblem` if it is gone or damaged; then it is removed.
  func content(of blob: CachedResult.Blob) throws(CacheProblem) -> [UInt8] {
    guard let bytes = fileContent(place(of: blob)) else { throw .incomplete }
    guard bytes.count == blob.size, SHA256.digest(of: bytes) == blob.digest else {
      drop(blob)
      throw .damaged
    }
    return bytes
  }

  /// The key of the latest result of a call.
  func last(of call: CachedCall) -> CacheKey? {
    fileContent(placeOfLast(call)).flatMap { $0.count == 32 ? CacheKey($0) : nil }
  }

  /// Notes that an entry was used, so that others are removed before it.
  func touch(_ key: CacheKey) {
    _ = place(of: key).withCBytes { utimensat(AT_FDCWD, $0, nil, 0) }
  }

  /// Removes an entry that is of no use.
  func drop(_ key: CacheKey) { unlink(place(of: key)) }

  /// Removes bytes that are not what their name says.
  func drop(_ blob: CachedResult.Blob) { unlink(place(of: blob)) }

  // MARK: Writing

  /// Stores a document under a key.
  func write(
    _ document: [UInt8], _ key: CacheKey, by work: CacheWorkplace
  ) throws(CacheProblem) { try write(document, to: place(of: key), by: work) }

  func writeLast(
    _ key: CacheKey, of call: CachedCall, by work: CacheWorkplace
  ) throws(CacheProblem) { try write(key.bytes, to: placeOfLast(call), by: work) }

  /// Stores bytes that are at hand.
  func write(
    _ bytes: [UInt8], by work: CacheWorkplace
  ) throws(CacheProblem) -> CachedResult.Blob {
    let blob = CachedResult.Blob(digest: SHA256.digest(of: bytes), size: bytes.count)
    if !has(blob) { try write(bytes, to: place(of: blob), by: work) }
    return blob
  }

  /// True if the store has the bytes, as far as their number tells.
  func has(_ blob: CachedResult.Blob) -> Bool {
    var information = stat()
    return lstat(place(of: blob), &information) == 0 && information.kind == .regular
      && Int(information.st_size) == blob.size
  }

  private func write(
    _ bytes: [UInt8], to path: String, by work: CacheWorkplace
  ) throws(CacheProblem) {
    let file = try UnnamedFile(in: work, of: self)
    try file.write(bytes)
    try file.close().name(path)
  }
}
