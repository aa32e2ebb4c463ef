import LuaRuntime
import RunnerCore
import Scripting

/// The names by which scripts reach functions and metatables: `string.rep`, `rac.timer`, `Account`.
/// They are read when one is first needed, without running code of the script.
final class KnownNames {
  private let environment: SessionEnvironment
  private let interpreter: LuaInterpreter
  private lazy var names: [UInt: String] = read()
  /// The maximum number of fields of one table that are read.
  private static let longestTable = 10_000
  /// The number of dots in the longest names: `rac.json.encode` has two.
  private static let depth = 2

  init(_ environment: SessionEnvironment, _ interpreter: LuaInterpreter) {
    self.environment = environment
    self.interpreter = interpreter
  }

  /// The name of a function or a table.
  func name(of identity: UInt) -> String? { names[identity] }

  private func read() -> [UInt: String] {
    var found: [UInt: String] = [:]
    let own = environment.names.compactMap { name in
      environment.variable(name).map { (name, $0) }
    }
    // The libraries first: a variable of the session may be another name for their functions.
    let all =
      fields(of: environment.globals).sorted { Self.rank($0.name) < Self.rank($1.name) } + own
    for (name, value) in all where !["_", "_error", "_G", "package"].contains(name) {
      add(value, name, depth: 0, to: &found)
    }
    return found
  }

  private func add(_ value: LuaValue, _ name: String, depth: Int, to found: inout [UInt: String]) {
    guard case .reference(let reference) = value, found[reference.identity] == nil else { return }
    found[reference.identity] = name
    guard reference.type == .table, depth < Self.depth else { return }
    for (field, value) in fields(of: reference) where LuaQuoting.isIdentifier(field) {
      add(value, "\(name).\(field)", depth: depth + 1, to: &found)
    }
  }

  private static func rank(_ name: String) -> (Int, String) {
    (StandardLibrary.isLibrary(name) || name == "rac" ? 0 : 1, name)
  }

  private func fields(of table: LuaReference) -> [(name: String, value: LuaValue)] {
    var fields: [(name: String, value: LuaValue)] = []
    _ = interpreter.withStack { stack in
      stack.push(table)
      var seen = 0
      try? stack.forEachPair(at: -1) { stack throws(LuaError) in
        seen += 1
        let type = stack.type(at: -1)
        if type == .function || type == .table, let name = stack.string(at: -2) {
          fields.append((name, stack.value(at: -1)))
        }
        return seen < Self.longestTable
      }
    }
    return fields
  }
}
