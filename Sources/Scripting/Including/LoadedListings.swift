import LuaRuntime
import Platform
import Reactive

/// What `rac.glob` returns while a file of commands is loaded: its definitions depend on that as on the text
/// of the file. Other looks at files, such as `rac.stat` and `io.open`, are the file's own affair.
extension ScriptHost {
  /// Records what is listed until the work of a file of commands ends.
  func recordingListings(_ observer: Observer<LuaValue>) -> Observer<LuaValue> {
    isLoadingDefinitions = true
    return Observer(
      next: observer.next, batch: observer.batch,
      end: onLoop { [unowned(unsafe) self] termination in
        isLoadingDefinitions = false
        observer.end(termination)
      })
  }

  /// Returns the paths of the files that patterns match.
  func list(_ patterns: [String], in folder: String) throws(GlobError) -> [String] {
    guard isLoadingDefinitions, context.purpose.isNone else {
      return try Glob(patterns).paths(in: folder)
    }
    let listing = try GlobListing(patterns, in: folder)
    listings.append(listing)
    return try listing.result.get()
  }
}
