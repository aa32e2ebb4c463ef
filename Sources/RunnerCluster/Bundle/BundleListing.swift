import Digests

/// The files that a batch needs on every machine, known by their content.
package struct BundleListing: Sendable, Hashable {
  /// A file of a bundle.
  package struct File: Sendable, Hashable {
    /// The path inside the bundle.
    package let path: String
    /// The SHA-256 digest of its content, in hexadecimal digits.
    package let blob: String
    /// The size in bytes.
    package let size: Int
    /// Its permissions: 0o644 or 0o755.
    package let mode: Int

    package init(path: String, blob: String, size: Int, mode: Int) {
      self.path = path
      self.blob = blob
      self.size = size
      self.mode = mode
    }
  }

  /// The files in the order of their paths' bytes.
  package let files: [File]
  /// The path of the command file inside the bundle; empty if there is none.
  package let commandFile: String

  package init(files: [File], commandFile: String) {
    self.files = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    self.commandFile = commandFile
  }

  /// The SHA-256 digest of paths, permissions and contents, in hexadecimal digits: equal bundles have
  /// equal digests, wherever they were made.
  package var digest: String {
    var digest = SHA256()
    digest.update(part: "raclette bundle 1")
    digest.update(part: commandFile)
    for file in files {
      for part in [file.path, file.blob, String(file.mode, radix: 8)] { digest.update(part: part) }
    }
    return digest.finish().hexadecimal
  }
}
