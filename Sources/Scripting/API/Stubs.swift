/// Definitions of the whole Lua API for the Lua language server (LuaCATS).
extension Library {
  /// Returns the text of a definition file, generated from the tables that define the library.
  public static func stubs() -> String {
    var text = "---@meta rac\n\n"
    text += "---@alias rac.State " + states.map { "\"\($0)\"" }.joined(separator: "|") + "\n\n"
    for record in records { text += stub(of: record) }
    for object in objects { text += stub(of: object) }
    for module in [root] + modules { text += stub(of: module) }
    return text + "return rac\n"
  }

  private static func stub(of record: APIRecord) -> String {
    let parent = record.parent.map { " : \($0)" } ?? ""
    var text = comment(record.summary) + "---@class \(record.name)\(parent)\n"
    for field in record.fields {
      let (name, type) = optional(field.name, field.type)
      text += "---@field \(name) \(type) \(field.summary)\n"
    }
    return text + "\n"
  }

  /// Returns `name?` and the bare type for an optional field.
  private static func optional(_ name: String, _ type: String) -> (String, String) {
    type.hasSuffix("?") ? ("\(name)?", String(type.dropLast())) : (name, type)
  }

  private static func stub(of module: APIModule) -> String {
    let isRoot = module.path == root.path
    var text = comment(module.summary)
    text += "---@class \(isRoot ? "rac" : "rac.module.\(module.name)")\n"
    for field in module.fields {
      text += "---@field \(field.name) \(field.type.annotation) \(field.summary)\n"
    }
    if isRoot {
      for inner in modules {
        text += "---@field \(inner.name) rac.module.\(inner.name) \(inner.summary)\n"
      }
    }
    text += "\(module.path) = {}\n\n"
    for function in module.functions {
      text += stub(of: function, in: module.path, by: ".")
    }
    return text
  }

  private static func stub(of object: APIObject) -> String {
    let kind = object.kind
    let variable = kind.isGeneric ? "<T>" : ""
    let parent = kind.parent.map { parent in
      " : \(parent.className)" + (parent.isGeneric ? kind.isGeneric ? "<T>" : "<any>" : "")
    }
    var text = comment(object.summary) + "---@class \(kind.className)\(variable)\(parent ?? "")\n"
    for property in object.properties {
      let (name, type) = optional(property.name, property.type.annotation)
      text += "---@field \(name) \(type) \(property.summary)\n"
    }
    for overload in object.overloads { text += "---@overload \(overload)\n" }
    let table = kind.className.dropFirst("rac.".count)
    text += "local \(table) = {}\n\n"
    for method in object.methods {
      text += stub(
        of: method, in: String(table), by: ":", bound: kind.isGeneric ? ["T"] : [])
    }
    return text
  }

  private static func stub(
    of function: APIFunction, in table: String, by separator: String, bound: Set<String> = []
  ) -> String {
    var text = comment(function.summary)
    if let example = function.example {
      text += "---\n---```lua\n\(comment(example))---```\n"
    }
    if function.waits { text += "---@async\n" }
    let variables = function.typeVariables.filter { !bound.contains($0) }
    if !variables.isEmpty { text += "---@generic \(variables.joined(separator: ", "))\n" }
    for parameter in function.parameters {
      let name = parameter.isVariadic ? "..." : parameter.luaName
      let mark = parameter.isOptional && !parameter.isVariadic ? "?" : ""
      text += "---@param \(name)\(mark) \(parameter.type.annotation)\n"
    }
    if let result = function.result { text += "---@return \(result.annotation)\n" }
    for overload in function.overloads { text += "---@overload \(overload)\n" }
    let names = function.parameters.map { $0.isVariadic ? "..." : $0.luaName }
      .joined(separator: ", ")
    return text + "function \(table)\(separator)\(function.name)(\(names)) end\n\n"
  }

  private static func comment(_ text: String) -> String {
    text.split(separator: "\n").map { "---\($0)\n" }.joined()
  }
}

extension APIParameter {
  /// The name, changed if Lua reserves the word.
  fileprivate var luaName: String { Reserved.words.contains(name) ? name + "_" : name }
}

extension APIFunction {
  /// The type variables of its parameters and result, sorted by name.
  var typeVariables: [String] {
    let types = parameters.map(\.type.annotation) + [result?.annotation ?? ""]
    let words = types.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }
    return Set(words.filter { $0.count == 1 && $0.first?.isUppercase == true }.map(String.init))
      .sorted()
  }
}

/// Lua's reserved words.
enum Reserved {
  static let words: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
}
