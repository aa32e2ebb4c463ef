import CLuaShims
import Platform

/// The library of Lua that the process has loaded.
public enum LuaLibrary {
  /// The release, such as 5.4.6; nil if the library does not tell.
  public static var release: String? {
    guard let ident = rac_lua_ident() else { return nil }
    let words = String(exactly: ident).split(separator: " ")
    guard let index = words.firstIndex(of: "Lua"), index + 1 < words.count else { return nil }
    return String(words[index + 1])
  }

  /// The file that the library was loaded from, without symbolic links; nil if that is unknown.
  public static var path: String? {
    guard let name = rac_lua_library_path() else { return nil }
    let path = String(exactly: name)
    return resolvedPath(path) ?? path
  }
}

extension LuaStack {
  /// Pushes a table of the functions of Lua's library that the host's own Lua code uses; called before
  /// the first script, which could replace them. [-0, +1] needs 5
  package func pushLibraryParts() { rac_lua_push_parts(state) }
}
