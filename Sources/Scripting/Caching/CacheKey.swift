import Digests
import Platform

/// What identifies a result: all that decides what an execution does. Paths are relative to the folder
/// of the command file, so that each checkout of a project has the same keys.
struct CacheKey: Sendable, Hashable {
  let bytes: [UInt8]

  var name: String { bytes.hexadecimal }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The key of an execution whose sources are as they were found.
  init(_ terms: UpToDateTerms, _ call: CachedCall, _ sources: [FileRecord]) {
    var writer = ByteWriter()
    writer.write("raclette key 1")
    writer.write(Self.platform)
    writer.write(call.identity)
    writer.write(terms.folder.inCheckout(call.root))
    writer.write(list: terms.definition) { writer, part in
      writer.write(part.name)
      writer.write(part.digest)
    }
    writer.write(list: terms.fingerprint.map { [$0] } ?? []) { $0.write($1) }
    Self.write(sources, call.root, to: &writer)
    bytes = SHA256.digest(of: writer.bytes)
  }

  /// The key of the same execution when its depfile names these files.
  func with(_ dependencies: [FileRecord], in root: String?) -> CacheKey {
    var writer = ByteWriter()
    writer.write(bytes)
    Self.write(dependencies, root, to: &writer)
    return CacheKey(SHA256.digest(of: writer.bytes))
  }

  private static func write(
    _ files: [FileRecord], _ root: String?, to writer: inout ByteWriter
  ) {
    writer.write(list: files) { writer, file in
      writer.write(file.path.inCheckout(root))
      writer.write(file.kind.rawValue)
      writer.write(file.isExecutable ? 1 : 0)
      writer.write(file.contentDigest)
    }
  }

  /// The system with its release, and the kind of processor: what is made for one may not work on
  /// another that has the same home.
  private static let platform: String = {
    var names = utsname()
    guard uname(&names) == 0 else { return "" }
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { String(exactly: $0.prefix { $0 != 0 }) }
    }
    let release = fileContent("/etc/os-release").map { SHA256.digest(of: $0).hexadecimal } ?? ""
    return "\(text(names.sysname)) \(text(names.machine)) \(release)"
  }()
}

/// What the cache has to know of a call beside the terms of its execution.
struct CachedCall: Sendable {
  /// The digest of the command's name and the input.
  var identity: [UInt8]
  /// The folder of the command file.
  var root: String?
  /// Why its results are not kept; nil if they are.
  var refusal: CacheProblem?
}
