import LineEditor
import LuaRuntime
import Platform
import RunnerCore

/// Completes file paths.
struct FilePaths {
  let completions: Completions

  /// - Parameter quote: the quote around the path in a Lua text; nil outside a string.
  init(_ typed: String, quote: Unicode.Scalar?) {
    // No Lua function expands the tilde.
    var path = typed
    if quote != nil, path.hasPrefix("~/"), let home = environment("HOME") {
      path = home + path.dropFirst()
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let close = quote.map { String(Character($0)) } ?? ""
    var items: [Completion] = []
    for found in names(inFolder: folder.isEmpty ? "." : folder) ?? []
    where found.hasPrefix(name) && (name.hasPrefix(".") || !found.hasPrefix(".")) {
      var information = stat()
      let isFolder =
        stat(folder + found, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
      let whole = folder + found + (isFolder ? "/" : "")
      let text = quote.map { LuaQuoting.escaped(whole, quote: $0) } ?? whole
      items.append(
        Completion(
          text + (isFolder ? "" : close), label: isFolder ? found + "/" : found,
          kind: isFolder ? "folder" : "file"))
    }
    completions = Completions(items, replacing: typed.count)
  }
}
