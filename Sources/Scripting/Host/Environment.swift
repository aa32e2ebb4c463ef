import LuaRuntime

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension ScriptHost {
  /// `rac.env`: the process's environment, which children inherit, as a table to read, write and
  /// walk; an empty one in the sandbox, as it holds what others must not know.
  func environmentTable() -> LuaValue {
    guard sandbox == nil else { return value { $0.newTable() } }
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
        if call.isNoneOrNil(at: 2) {
          unsetenv(name)
        } else {
          setenv(name, try call.string(at: 2), 1)
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

/// The environment with some variables set and others, those with nil, removed; as `NAME=value`.
func environment(changing changes: [(name: String, value: [UInt8]?)]) -> [[UInt8]] {
  let names = Set(changes.map(\.name))
  let kept = allVariables().filter { !names.contains($0.name) }.map {
    Array("\($0.name)=\($0.value)".utf8)
  }
  return kept + changes.compactMap { name, value in value.map { Array("\(name)=".utf8) + $0 } }
}
