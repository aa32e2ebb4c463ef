import LuaRuntime

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension ScriptHost {
  /// `rac.env`: the process's environment, which children inherit, as a table to read, write and
  /// walk.
  func environmentTable() -> LuaValue {
    let get = value { stack in
      stack.pushFunction { call in
        let name = try call.string(at: 1)
        return call.returning(getenv(name).map { .string(String(cString: $0)) } ?? .nil)
      }
    }
    let set = value { stack in
      stack.pushFunction { [unowned(unsafe) self] call in
        let name = try call.string(at: 1)
        guard !name.isEmpty, !name.contains("="), !name.contains("\0") else {
          throw Misuse.variableName(name).error(at: self.placeOfCall())
        }
        switch call.value(at: 2) {
        case .nil: unsetenv(name)
        case let value:
          guard let bytes = value.argumentBytes, !bytes.contains(0) else {
            throw Misuse.variableValue(name, value.type).error(at: self.placeOfCall())
          }
          setenv(name, bytes.map(CChar.init(bitPattern:)) + [0], 1)
        }
        return .none
      }
    }
    let all = value { stack in
      stack.pushFunction { call in
        call.stack.newTable()
        for (name, value) in allVariables() { call.stack.set(name, .string(value), at: -1) }
        return .results(1)
      }
    }
    let table = try? interpreter.call(.reference(prelude.newEnvironment), [get, set, all]).first
    return table ?? .nil
  }
}

private func allVariables() -> [(name: String, value: String)] {
  var variables: [(String, String)] = []
  var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
  while let text = entry?.pointee {
    let parts = String(cString: text).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 { variables.append((String(parts[0]), String(parts[1]))) }
    entry = entry?.advanced(by: 1)
  }
  return variables
}

/// A variable to set, or with nil to remove.
typealias EnvironmentChange = (name: String, value: [UInt8]?)

/// The environment with some variables set and others removed, the later change of a name counting;
/// as `NAME=value`. Nil, for the process's own, without changes.
func environment(changing changes: [EnvironmentChange]) -> [[UInt8]]? {
  guard !changes.isEmpty else { return nil }
  let last = Dictionary(changes.map { ($0.name, $0.value) }) { _, later in later }
  let kept = allVariables().filter { last[$0.name] == nil }.map {
    Array("\($0.name)=\($0.value)".utf8)
  }
  return kept
    + last.compactMap { name, value in value.map { Array("\(name)=".utf8) + $0 } }
}

extension TableFields {
  /// The variables in a field; false takes one away, as a table cannot hold nil.
  func variables(
    _ field: String, called what: String, _ bad: (String) -> any Error
  ) throws -> [EnvironmentChange] {
    guard stack.rawGet(field, at: index) == .table else {
      stack.pop()
      throw bad("\(what) must be a table of variables")
    }
    defer { stack.pop() }
    var changes: [EnvironmentChange] = []
    var problem: String?
    try stack.forEachPair(at: -1) { stack throws(LuaError) in
      guard let name = stack.string(at: -2) else {
        problem = "must be a table of variables by name"
        return false
      }
      let value = stack.value(at: -1)
      guard value == .bool(false) || value.argumentBytes?.contains(0) == false,
        !name.isEmpty, !name.contains("="), !name.contains("\0")
      else {
        problem = "cannot set '\(name)' to a \(value.type.name)"
        return false
      }
      changes.append((name, value == .bool(false) ? nil : value.argumentBytes))
      return true
    }
    if let problem { throw bad("\(what) \(problem)") }
    return changes
  }
}
