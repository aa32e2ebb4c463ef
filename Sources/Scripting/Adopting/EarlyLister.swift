import EventLoop
import Platform
import Synchronization

/// The lister of a file that the program was asked for: it works while the interpreter is made.
package enum EarlyLister {
  private struct Listing {
    let argv: [String]
    let folder: String
    let start: CapturedRun.Start
  }

  private static let listing = Mutex<Listing?>(nil)

  /// Starts the lister of a justfile whose recipes are not kept, so that `rac.adopt` waits for less. Its
  /// failure is told there.
  ///
  /// - Parameter name: the file, in the current folder.
  package static func begin(_ name: String) {
    let file = AdoptedFile(path: name, title: name)
    guard AdoptedFormat(ofFile: name) == .justfile, !AdoptionCache.keeps(file) else { return }
    let argv = Justfile.lister(of: file)
    guard let start = try? CapturedRun.Start(argv, in: file.folder) else { return }
    listing.withLock { $0 = Listing(argv: argv, folder: file.folder, start: start) }
  }

  /// Returns the lister with these words, if it has begun; it is given once.
  static func take(_ argv: [String], in folder: String) -> CapturedRun.Start? {
    listing.withLock { listing in
      guard let found = listing, found.argv == argv, found.folder == folder else { return nil }
      listing = nil
      return found.start
    }
  }
}
