/// Definitions of the whole Lua API for the Lua language server (LuaCATS).
extension Library {
  /// The text of a definition file, made of the tables that the library itself is made of.
  public static func stubs() -> String {
    var text = "---@meta rac\n\n"
    for object in objects { text += stub(of: object) }
    for module in [root] + modules { text += stub(of: module) }
    return text + "return rac\n"
  }

  private static func stub(of module: APIModule) -> String {
    let isRoot = module.path == root.path
    var text = comment(module.summary)
    text += "---@class \(isRoot ? "raclette" : "raclette.module.\(module.name)")\n"
    for field in module.fields where !Reserved.words.contains(field.name) {
      text += "---@field \(field.name) \(field.type.annotation) \(field.summary)\n"
    }
    if isRoot {
      for inner in modules { text += "---@field \(inner.name) raclette.module.\(inner.name)\n" }
    }
    text += isRoot ? "rac = {}\n\n" : "\(module.path) = {}\n\n"
    for function in module.functions { text += stub(of: function, in: module.path, by: ".") }
    return text
  }

  private static func stub(of object: APIObject) -> String {
    let name = object.kind.annotation
    let parent = object.kind.parent.map { " : \($0.annotation)" } ?? ""
    var text = comment(object.summary) + "---@class \(name)\(parent)\n"
    for property in object.properties {
      text += "---@field \(property.name) \(property.type.annotation) \(property.summary)\n"
    }
    let variable = "\(object.kind.rawValue)_methods"
    text += "local \(variable) = {}\n\n"
    for method in object.methods { text += stub(of: method, in: variable, by: ":") }
    return text
  }

  private static func stub(
    of function: APIFunction, in table: String, by separator: String
  ) -> String {
    var text = comment(function.summary)
    if function.waits { text += "---@async\n" }
    for parameter in function.parameters {
      let name = parameter.isVariadic ? "..." : parameter.luaName
      let mark = parameter.isOptional && !parameter.isVariadic ? "?" : ""
      text += "---@param \(name)\(mark) \(parameter.type.annotation)\n"
    }
    if let result = function.result { text += "---@return \(result.annotation)\n" }
    let names = function.parameters.map { $0.isVariadic ? "..." : $0.luaName }
      .joined(separator: ", ")
    guard Reserved.words.contains(function.name) else {
      return text + "function \(table)\(separator)\(function.name)(\(names)) end\n\n"
    }
    let all = separator == ":" ? (["self"] + (names.isEmpty ? [] : [names])) : [names]
    return text
      + "\(table)[\"\(function.name)\"] = function(\(all.joined(separator: ", "))) end\n\n"
  }

  private static func comment(_ text: String) -> String {
    text.split(separator: "\n").map { "---\($0)\n" }.joined()
  }
}

extension APIParameter {
  /// The name, changed where Lua reserves the word.
  fileprivate var luaName: String { Reserved.words.contains(name) ? name + "_" : name }
}

extension ObjectKind {
  /// The name of the class in the definitions.
  fileprivate var annotation: String { "raclette.\(rawValue)" }
}

extension APIType {
  /// The type as an annotation.
  fileprivate var annotation: String {
    switch self {
    case .any: "any"
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .table: "table"
    case .function: "function"
    case .object(let kind): kind.annotation
    case .either(let one, let other): "\(one.annotation)|\(other.annotation)"
    }
  }
}

/// The words that Lua keeps for itself.
private enum Reserved {
  static let words: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
}
