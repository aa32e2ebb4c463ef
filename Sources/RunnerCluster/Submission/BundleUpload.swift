import Digests
import Platform
import Scripting

/// Brings the files of a bundle to a server that does not have them. On the loop's thread.
final class BundleUpload {
  private let link: ServerLink
  private let bundle: Bundle
  private var missing: [BundleListing.File] = []
  private var onEnd: (Error?) -> Void = { _ in }

  /// The size of the parts of a file, in bytes.
  static let partSize = 1 << 20

  init(_ link: ServerLink, _ bundle: Bundle) {
    self.link = link
    self.bundle = bundle
  }

  func start(then onEnd: @escaping (Error?) -> Void) {
    self.onEnd = onEnd
    let files = bundle.listing.files
    // The listing comes first: it keeps the files from being pruned.
    ask(
      SQL.write_bundle,
      [
        .text(bundle.listing.digest), .text(bundle.listing.commandFile),
        .texts(files.map(\.path)), .texts(files.map(\.blob)), .integers(files.map(\.size)),
        .integers(files.map(\.mode)),
      ]
    ) { [self] _ in
      ask(
        SQL.read_missing,
        [.texts(files.map(\.blob)), .integers(files.map { Self.partCount($0.size) })]
      ) { [self] rows in
        let digests = Set((0..<rows.count).compactMap { rows.text($0, 0) })
        var taken: Set<String> = []
        missing = files.filter { digests.contains($0.blob) && taken.insert($0.blob).inserted }
        next()
      }
    }
  }

  private static func partCount(_ size: Int) -> Int { max(1, (size + partSize - 1) / partSize) }

  private func ask(
    _ statement: String, _ parameters: [ServerValue], _ body: @escaping (ServerRows) -> Void
  ) {
    link.send(statement, parameters) { [self] answer in
      switch answer {
      case .success(let rows): body(rows)
      case .failure(let error): onEnd(error)
      }
    }
  }

  private func next() {
    guard let file = missing.popLast() else { return onEnd(nil) }
    let source = bundle.sources[file.path] ?? file.path
    let descriptor = open(source, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      return onEnd(BundleError.unreadable(source, reason: systemErrorText(errno)))
    }
    send(file, source, descriptor, part: 0, SHA256())
  }

  /// Sends the parts of a file one after the other, so that one of them is in memory.
  private func send(
    _ file: BundleListing.File, _ source: String, _ descriptor: Int32, part: Int,
    _ digest: SHA256
  ) {
    var digest = digest
    guard let bytes = Self.read(descriptor) else {
      close(descriptor)
      return onEnd(BundleError.unreadable(source, reason: systemErrorText(errno)))
    }
    digest.update(bytes)
    let isLast = bytes.count < Self.partSize || part + 1 == Self.partCount(file.size)
    if isLast {
      close(descriptor)
      var whole = digest
      guard whole.finish().hexadecimal == file.blob else {
        return onEnd(BundleError.changed(source))
      }
    }
    ask(
      """
      INSERT INTO raclette.blob (digest, part, bytes) VALUES ($1, $2, $3)
      ON CONFLICT (digest, part) DO UPDATE SET bytes = excluded.bytes
      """, [.text(file.blob), .integer(part), .binary(bytes)]
    ) { [self] _ in
      if isLast { next() } else { send(file, source, descriptor, part: part + 1, digest) }
    }
  }

  private static func read(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: partSize)
    var filled = 0
    while filled < partSize {
      let count = bytes.withUnsafeMutableBytes {
        readBytes(from: descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(partSize - filled)
    return bytes
  }
}
