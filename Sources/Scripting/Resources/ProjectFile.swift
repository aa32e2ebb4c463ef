import Digests
import EventLoop
import Platform

/// The file of a project, whose runs share resources. Its path is resolved at once: links on the way may
/// lead elsewhere later, and the file may be gone.
struct ProjectFile {
  private let path: String

  /// - Parameter path: from the current folder.
  init(_ path: String) {
    let folder = path.hasPrefix("/") ? "" : "\(currentFolder() ?? "")/"
    self.path = resolvedPath(path) ?? folder + path
  }

  /// The key of the ledger that all of the user's processes have for the project.
  var ledger: LedgerKey {
    var digest = SHA256()
    digest.update(part: path)
    return LedgerKey(digest: digest.finish())
  }
}
