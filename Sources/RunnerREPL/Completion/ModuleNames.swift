import LuaRuntime
import Platform
import RunnerCore

/// The modules that `require` can find: the loaded ones, and the files of `package.path` and
/// `package.cpath`.
struct ModuleNames {
  private let interpreter: LuaInterpreter
  /// The packages before the last name, with their dots: `pl.`.
  private let packages: String

  /// - Parameter typed: the beginning of a module's name.
  init(_ interpreter: LuaInterpreter, typed: String) {
    self.interpreter = interpreter
    packages = typed.lastIndex(of: ".").map { String(typed[...$0]) } ?? ""
  }

  var all: [String] {
    var names: Set<String> = []
    for template in templates {
      let parts = template.split(separator: "?", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].hasSuffix("/") else { continue }
      let folder = parts[0] + packages.replacing(".", with: "/")
      collect(String(folder), String(parts[1]), into: &names)
    }
    return (names.union(loaded)).sorted()
  }

  /// Adds the modules that a template finds in its folder: `?.lua`, or `?/init.lua`.
  private func collect(_ folder: String, _ suffix: String, into names: inout Set<String>) {
    for found in Platform.names(inFolder: folder) ?? [] {
      if !suffix.contains("/"), found.hasSuffix(suffix) {
        let name = found.dropLast(suffix.count)
        if !name.isEmpty, !name.contains(".") { names.insert(packages + name) }
      } else if suffix.hasPrefix("/"), access(folder + found + suffix, R_OK) == 0 {
        names.insert(packages + found)
      }
    }
  }

  private var templates: [String] {
    ["path", "cpath"].flatMap { field in
      (package(field)?.split(separator: ";") ?? []).map(String.init)
    }
  }

  private func package(_ field: String) -> String? {
    interpreter.withStack { stack in
      stack.push(interpreter.global("package"))
      guard stack.type(at: -1) == .table else { return nil }
      return stack.rawGet(field, at: -1) == .string ? stack.string(at: -1) : nil
    } ?? nil
  }

  private var loaded: [String] {
    interpreter.withStack { stack in
      stack.push(interpreter.global("package"))
      guard stack.type(at: -1) == .table, stack.rawGet("loaded", at: -1) == .table else {
        return []
      }
      var names: [String] = []
      try? stack.forEachPair(at: -1) { stack throws(LuaError) in
        if let name = stack.string(at: -2) { names.append(name) }
        return true
      }
      return names
    } ?? []
  }
}
