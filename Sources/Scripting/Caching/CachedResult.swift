import Digests

/// What is stored of one execution: a small document, which names everything large by its digest.
struct CachedResult: Sendable, Equatable {
  /// Bytes in the store.
  struct Blob: Sendable, Hashable {
    /// Their SHA-256.
    var digest: [UInt8]
    var size: Int
  }

  /// What is at a path.
  enum Kind: Sendable, Equatable {
    case file(mode: UInt32, Blob)
    /// A symbolic link, with the path that it holds.
    case link([UInt8])
    case folder(mode: UInt32)
  }

  struct Output: Sendable, Equatable {
    var path: CachePath
    var kind: Kind
  }

  /// What it made, in the order of the paths' bytes, so that a folder precedes what is in it.
  var outputs: [Output] = []
  /// What it said: its values and what its processes printed.
  var said: Blob
  /// What it was made of, which counts when someone asks why another execution has no entry.
  var about: Blob
  /// What its depfile named, if it has one.
  var dependencies: [String] = []
  /// How long its work took.
  var seconds: Double

  /// The outputs that are no folders.
  var files: [Output] {
    outputs.filter { if case .folder = $0.kind { false } else { true } }
  }

  var blobs: [Blob] {
    outputs.compactMap { if case .file(_, let blob) = $0.kind { blob } else { nil } }
      + [said, about]
  }
}

extension CachedResult {
  private static let mark = "raclette result 1\n"

  /// The document, which ends with its own digest.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(list: outputs) { writer, output in
      writer.write(output.path.bytes)
      switch output.kind {
      case .file(let mode, let blob):
        writer.write(1)
        writer.write(UInt64(mode))
        blob.write(to: &writer)
      case .link(let target):
        writer.write(2)
        writer.write(target)
      case .folder(let mode):
        writer.write(3)
        writer.write(UInt64(mode))
      }
    }
    said.write(to: &writer)
    about.write(to: &writer)
    writer.write(list: dependencies) { $0.write($1) }
    writer.write(seconds.bitPattern)
    return CacheDocument(mark: Self.mark).bytes(of: writer.bytes)
  }

  /// - Throws: `CacheProblem.damaged` if it is not a document that was written.
  init(_ bytes: [UInt8]) throws(CacheProblem) {
    var reader = ByteReader(try CacheDocument(mark: Self.mark).content(of: bytes))
    do {
      outputs = try reader.list { reader throws(ByteReader.Malformed) in
        guard let path = CachePath(bytes: try reader.part()) else { throw ByteReader.Malformed() }
        let kind: Kind
        switch try reader.number() {
        case 1: kind = .file(mode: try reader.mode(), try Blob(from: &reader))
        case 2: kind = .link(try reader.part())
        case 3: kind = .folder(mode: try reader.mode())
        default: throw ByteReader.Malformed()
        }
        return Output(path: path, kind: kind)
      }
      said = try Blob(from: &reader)
      about = try Blob(from: &reader)
      dependencies = try reader.list { reader throws(ByteReader.Malformed) in try reader.text() }
      seconds = Double(bitPattern: try reader.number())
    } catch {
      throw .damaged
    }
    guard reader.isAtEnd else { throw .damaged }
  }
}

extension CachedResult.Blob {
  fileprivate func write(to writer: inout ByteWriter) {
    writer.write(digest)
    writer.write(size)
  }

  fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    digest = try reader.part()
    size = try reader.integer()
    guard digest.count == 32, size >= 0 else { throw ByteReader.Malformed() }
  }
}

extension ByteReader {
  fileprivate mutating func mode() throws(Malformed) -> UInt32 {
    guard let mode = UInt32(exactly: try number()), mode <= 0o7777 else { throw Malformed() }
    return mode
  }
}

/// A document of the cache: a line that says of which kind and version it is, its content, and the
/// digest of both.
struct CacheDocument {
  let mark: String

  func bytes(of content: [UInt8]) -> [UInt8] {
    let text = Array(mark.utf8) + content
    return text + SHA256.digest(of: text)
  }

  func content(of bytes: [UInt8]) throws(CacheProblem) -> [UInt8] {
    guard bytes.count >= mark.utf8.count + 32, bytes.starts(with: mark.utf8),
      SHA256.digest(of: Array(bytes.dropLast(32))) == Array(bytes.suffix(32))
    else { throw .damaged }
    return Array(bytes.dropLast(32).dropFirst(mark.utf8.count))
  }
}
