import Digests
import Platform

/// What is known of a file: how the system describes it, and the digest of its content.
struct FileRecord: Sendable {
  enum Kind: UInt64, Sendable {
    /// There is nothing at the path.
    case missing
    /// A regular file, also behind a symbolic link.
    case file
    /// A symbolic link to a folder, or to nothing: its content is the path that it holds.
    case link
    /// A device, a socket or a pipe, which are never read.
    case special
  }

  var path: String
  var kind = Kind.missing
  var isExecutable = false
  private var size: UInt64 = 0
  private var inode: UInt64 = 0
  /// Nanoseconds since 1970.
  private var modified: Int = 0
  private(set) var changed: Int = 0
  /// False if the file was so young when it was read that it may have changed again since without
  /// another time stamp.
  private(set) var isSettled = true
  /// True for an output that an execution of its command is known to have made, and that does not only
  /// match its patterns. Only the outputs of cached commands have it.
  var isMade = false
  private var digest = Digest()
  /// False while the content that `digest` describes has still to be read.
  var isRead = true

  private struct Digest: Sendable, Equatable {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init() {}

    init(_ bytes: [UInt8]) {
      bytes.withUnsafeBytes { bytes in
        words = bytes.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
      }
    }

    static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }
  }

  /// The record of what is at a path now, whose content `read` may have to read.
  ///
  /// - Parameter known: an earlier record of the path. The file has to be read only if the system
  ///   describes it differently now, or if it was too young then.
  /// - Parameter current: a record of the path whose content was read, or written, in the course of this
  ///   execution. Its digest counts as long as the system describes the file so, also if it is too young
  ///   to be trusted the next time.
  init(_ path: String, known: FileRecord?, current: FileRecord?) {
    self.path = path
    var information = stat()
    let now = Int(WallClock.nanoseconds)
    if stat(path, &information) != 0 || information.st_mode & S_IFMT == S_IFDIR {
      guard lstat(path, &information) == 0 else { return }
      kind = information.st_mode & S_IFMT == S_IFLNK ? .link : .special
    } else {
      kind = information.st_mode & S_IFMT == S_IFREG ? .file : .special
    }
    describe(information)
    isMade = known?.isMade == true
    if let known, known.isSettled, hasDescription(of: known) {
      digest = known.digest
      return
    }
    if let current, hasDescription(of: current) {
      (digest, isSettled) = (current.digest, current.isSettled)
      return
    }
    isRead = kind != .file && kind != .link
    isSettled = isOlder(than: now)
  }

  /// The record of a regular file whose content is known.
  ///
  /// - Parameters:
  ///   - information: what the system says of it, from before its content was read.
  ///   - time: the time before that, in nanoseconds since 1970.
  ///   - contentDigest: the digest of its content.
  init(_ path: String, _ information: stat, at time: Int, contentDigest: [UInt8]) {
    self.path = path
    kind = .file
    describe(information)
    isSettled = isOlder(than: time)
    digest = Digest(contentDigest)
  }

  private mutating func describe(_ information: stat) {
    isExecutable = kind == .file && information.st_mode & 0o100 != 0
    size = UInt64(bitPattern: Int64(information.st_size))
    inode = UInt64(information.st_ino)
    modified = Self.nanoseconds(information.modificationTime)
    changed = Self.nanoseconds(information.changeTime)
  }

  /// True if no later change can leave the time stamps as they are. One in the future is none to trust.
  private func isOlder(than now: Int) -> Bool { max(modified, changed) < now - Self.youth }

  /// True if the system described the file so.
  func describes(_ information: stat) -> Bool {
    var other = FileRecord(named: path, kind)
    other.describe(information)
    return hasDescription(of: other)
  }

  private init(named path: String, _ kind: Kind) { (self.path, self.kind) = (path, kind) }

  /// The same under another path to the file.
  func named(_ path: String) -> FileRecord {
    var record = self
    record.path = path
    return record
  }

  /// When the file was modified, in nanoseconds since 1970.
  var modificationTime: Int { modified }

  /// Reads the content.
  ///
  /// - Throws: `FileDigestError` if it cannot be read.
  mutating func read() throws(FileDigestError) {
    digest =
      kind == .link
      ? Digest(SHA256.digest(of: (linkTarget(of: path) ?? "").exactBytes))
      : Digest(try SHA256.digest(ofFile: path))
    isRead = true
  }

  /// The bytes that there are to read; of a link, whose path is short, none.
  var unreadBytes: UInt64 { isRead || kind == .link ? 0 : size }

  /// False if its content was not read, although it has one: such a record is never settled.
  var isContentKnown: Bool { (kind != .file && kind != .link) || digest != Digest() }

  /// The digest of its content; zeros for what was not read.
  var contentDigest: [UInt8] { withUnsafeBytes(of: digest.words) { Array($0) } }

  /// Longer than the clock of any file system takes for a tick.
  private static let youth = 2_000_000_000

  private static func nanoseconds(_ time: timespec) -> Int {
    Int(time.tv_sec) &* 1_000_000_000 &+ Int(time.tv_nsec)
  }

  /// True if the system describes both files alike.
  private func hasDescription(of other: FileRecord) -> Bool {
    kind == other.kind && size == other.size && inode == other.inode && modified == other.modified
      && changed == other.changed
  }

  /// True if both have the same content.
  func hasContent(of other: FileRecord) -> Bool {
    kind == other.kind && isExecutable == other.isExecutable && digest == other.digest
      && isContentKnown && (kind != .special || inode == other.inode)
  }

  /// True if it is as an earlier record of the path has it: by its content if both know it, otherwise as
  /// the system describes it.
  func isUnchanged(since earlier: FileRecord) -> Bool {
    isContentKnown && earlier.isContentKnown
      ? hasContent(of: earlier) : hasDescription(of: earlier)
  }

  /// True if the record says the same and would save reading the file as often.
  func isSame(as other: FileRecord) -> Bool {
    hasDescription(of: other) && isSettled == other.isSettled
  }
}

extension FileRecord {
  func write(to writer: inout ByteWriter) {
    writer.write(path)
    let isTrusted = isSettled && isContentKnown
    writer.write(kind.rawValue | (isExecutable ? 16 : 0) | (isTrusted ? 32 : 0) | (isMade ? 64 : 0))
    writer.write(size)
    writer.write(inode)
    writer.write(modified)
    writer.write(changed)
    writer.write(digest.words.0)
    writer.write(digest.words.1)
    writer.write(digest.words.2)
    writer.write(digest.words.3)
  }

  init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    path = try reader.text()
    let flags = try reader.number()
    guard let kind = Kind(rawValue: flags & 15) else { throw ByteReader.Malformed() }
    self.kind = kind
    isExecutable = flags & 16 != 0
    isSettled = flags & 32 != 0
    isMade = flags & 64 != 0
    size = try reader.number()
    inode = try reader.number()
    modified = try reader.integer()
    changed = try reader.integer()
    digest.words = (
      try reader.number(), try reader.number(), try reader.number(), try reader.number()
    )
  }
}
