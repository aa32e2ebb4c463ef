import LineEditor
import LuaRuntime
import Platform
import RunnerCore

/// Completes file paths.
struct FilePaths {
  /// The text around a path.
  enum Form {
    /// The rest of a `:` command.
    case plain
    /// A string in Lua, with this quote.
    case string(Unicode.Scalar)
    /// A word of a line of the shell.
    case word
  }

  let completions: Completions

  init(_ typed: String, _ form: Form) {
    var path = if case .word = form { ShellWords.split(typed)?.first ?? typed } else { typed }
    // No Lua function expands the tilde, and neither does a `:` command.
    var home = ""
    if path.hasPrefix("~/"), let folder = environment("HOME") {
      path = folder + path.dropFirst()
      if case .word = form { home = folder }
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    var items: [Completion] = []
    for found in names(inFolder: folder.isEmpty ? "." : folder) ?? []
    where found.hasPrefix(name) && (name.hasPrefix(".") || !found.hasPrefix(".")) {
      var information = stat()
      let isFolder =
        stat(folder + found, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
      let whole = folder + found + (isFolder ? "/" : "")
      let text =
        switch form {
        case .plain: whole
        case .string(let quote):
          LuaQuoting.escaped(whole, quote: quote) + (isFolder ? "" : String(Character(quote)))
        case .word:
          home.isEmpty
            ? ShellWords.quoted(whole)
            : "~" + ShellWords.quoted(String(whole.dropFirst(home.count)))
        }
      items.append(
        Completion(
          text, label: isFolder ? found + "/" : found, kind: isFolder ? "folder" : "file"))
    }
    completions = Completions(items, replacing: typed.count)
  }
}
