import LuaRuntime
import Platform

/// The Lua texts that a host has loaded, and whether they are all that its scripts may load: a file that
/// is optional, or that a condition leaves out here, may set any name elsewhere.
package struct LoadedTexts {
  /// The texts by the names of their files.
  let codes: [String: LuaCode]
  /// True if code that is not among them may set names.
  package let isPart: Bool

  package init(of host: ScriptHost) {
    var codes: [String: LuaCode] = [:]
    for (path, name) in host.luaFiles where codes[name] == nil {
      codes[name] = fileContent(path).map(LuaCode.init)
    }
    self.codes = codes
    let paths = host.luaFiles.map(\.path)
    let areAllRead = host.luaFiles.allSatisfy { codes[$0.name] != nil }
    isPart =
      !areAllRead || !host.scopes.missing.isEmpty
      || codes.values.contains { code in code.loads.contains { !Self.isRead($0, paths) } }
  }

  /// True if what a text loads is among the files that were read, or is the library.
  private static func isRead(_ load: LuaCode.Load, _ paths: [String]) -> Bool {
    let endings: [String]
    switch load {
    case .unknown: return false
    case .module("rac"): return true
    case .module(let name):
      let path = name.replacing(".", with: "/")
      endings = ["\(path).lua", "\(path)/init.lua"]
    case .file(let path):
      endings = [
        path.split(separator: "/").filter { $0 != "." && $0 != ".." }.joined(separator: "/")
      ]
    }
    return endings.contains { ending in
      paths.contains { $0 == ending || $0.hasSuffix("/" + ending) }
    }
  }
}

extension LuaCode {
  /// What a text may load.
  fileprivate enum Load {
    case module(String)
    /// A file to include.
    case file(String)
    /// What is not written out, and code that reaches all names.
    case unknown
  }

  /// All that the text may load, wherever it does.
  fileprivate var loads: [Load] {
    texts.indices.compactMap { index in
      guard tokens[index].kind == .name else { return nil }
      switch texts[index] {
      case "_ENV", "_G", "dofile", "load", "loadfile": return .unknown
      case "require":
        return literals(givenTo: index).first.flatMap(\.self).map(Load.module) ?? .unknown
      case "include":
        let words = literals(givenTo: index)
        return words.count < 2 ? .unknown : words[1].map(Load.file) ?? .unknown
      default: return nil
      }
    }
  }

  /// The arguments of a call: the texts of those that are written out as a text, nil for others.
  private func literals(givenTo function: Int) -> [String?] {
    let start = function + 1
    guard start < texts.count else { return [] }
    if tokens[start].kind == .string { return [string(at: start)] }
    guard texts[start] == "(" else { return [] }
    var words: [String?] = []
    var depth = 0
    var first = start + 1
    for index in first..<texts.count {
      let change = LuaBlock.change(by: texts[index])
      if depth == 0, change < 0 || texts[index] == "," {
        words.append(index == first + 1 ? string(at: first) : nil)
        first = index + 1
      }
      if depth == 0, change < 0 { return words }
      depth += change
    }
    return []
  }

  /// A text that is written out without escapes; nil for anything else.
  private func string(at index: Int) -> String? {
    let text = texts[index]
    guard tokens[index].kind == .string, let quote = text.first, "\"'".contains(quote),
      text.count > 1, !text.contains("\\")
    else { return nil }
    return String(text.dropFirst().dropLast())
  }
}
