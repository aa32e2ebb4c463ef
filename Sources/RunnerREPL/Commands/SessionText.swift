import LuaRuntime
import RunnerCore
import Scripting

/// Variables as Lua code that makes them again: numbers, strings, booleans, tables with what they
/// share, and functions that use no locals of the code around them.
struct SessionText {
  private let workspace: Workspace
  private let log: EntryLog
  /// The numbers of the tables by identity, and those whose contents are still to be written.
  private var numbers: [UInt: Int] = [:]
  private var pending: [(table: LuaReference, name: String)] = []
  private var contents: [String] = []
  private var assignments: [String] = []
  private(set) var count = 0
  /// The names of what cannot be kept, with the reasons.
  private(set) var omitted: [String] = []

  init(_ workspace: Workspace, _ log: EntryLog) {
    (self.workspace, self.log) = (workspace, log)
    let members = LuaMembers(workspace)
    for (name, value) in members.sessionVariables where LuaQuoting.isIdentifier(name) {
      if case .reference(let function) = value, function.type == .function,
        members.facts(of: function)?.source.hasPrefix("@") == true
      {
        // It comes with its file.
        continue
      }
      guard let text = text(of: value, name) else { continue }
      count += 1
      assignments.append((members.isLocal(name) ? "local " : "") + "\(name) = \(text)")
      writeTables()
    }
  }

  /// The code.
  var text: String {
    let head =
      numbers.isEmpty
      ? [] : ["local _session = {}", "for i = 1, \(numbers.count) do _session[i] = {} end"]
    let tail = numbers.isEmpty ? [] : ["_session = nil"]
    return (head + contents + assignments + tail).joined(separator: "\n") + "\n"
  }

  private mutating func omit(_ name: String, _ reason: String) -> String? {
    omitted.append("\(name): \(reason)")
    return nil
  }

  /// An expression for a value; nil if there is none.
  private mutating func text(of value: LuaValue, _ name: String) -> String? {
    switch value {
    case .nil, .bool: return value.description
    case .integer(let number): return number == .min ? "math.mininteger" : "\(number)"
    case .number(let number):
      if number.isNaN { return "0/0" }
      return number.isInfinite ? (number < 0 ? "-1/0" : "1/0") : "\(number)"
    case .string(let string): return quoted(string, limit: .max)
    case .reference(let reference):
      switch reference.type {
      case .table: return text(of: reference, name)
      case .function: return text(ofFunction: reference, name)
      default:
        let kind = workspace.host.object(value)?.kind ?? reference.type.name
        return omit(name, "a \(kind) cannot be kept")
      }
    }
  }

  private mutating func text(of table: LuaReference, _ name: String) -> String {
    if numbers[table.identity] == nil {
      numbers[table.identity] = numbers.count + 1
      pending.append((table, name))
    }
    return "_session[\(numbers[table.identity] ?? 0)]"
  }

  private mutating func text(ofFunction function: LuaReference, _ name: String) -> String? {
    let names = KnownNames(workspace.environment, workspace.host.interpreter)
    guard let facts = LuaMembers(workspace).facts(of: function) else {
      return names.name(of: function.identity)
        ?? omit(name, "a function that is not written in Lua")
    }
    if facts.isClosure { return omit(name, "it uses locals of the code around it") }
    return FunctionText(facts, log).expression ?? omit(name, "its text cannot be read")
  }

  /// Writes the contents of the tables that were found.
  private mutating func writeTables() {
    while let (table, name) = pending.popLast() {
      let place = "_session[\(numbers[table.identity] ?? 0)]"
      var pairs: [(LuaValue, LuaValue)] = []
      var metatable: LuaReference?
      _ = workspace.host.interpreter.withStack { stack in
        stack.push(table)
        try? stack.forEachPair(at: -1) { stack throws(LuaError) in
          pairs.append((stack.value(at: -2), stack.value(at: -1)))
          return true
        }
        if stack.pushMetatable(at: -1) { metatable = stack.value(at: -1).referenceValue }
      }
      for (key, value) in pairs {
        let field = "\(name)\(LuaQuoting.member(key.description))"
        guard let key = text(of: key, field), let value = text(of: value, field) else { continue }
        contents.append("\(place)[\(key)] = \(value)")
      }
      if let metatable {
        contents.append("setmetatable(\(place), \(text(of: metatable, "\(name)'s metatable")))")
      }
    }
  }
}
