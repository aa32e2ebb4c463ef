import LuaRuntime
import Platform

extension ScriptHost {
  /// Returns `rac.env`: the environment of a process that a script would start now, as a table that
  /// can be read, written and iterated.
  func environmentTable() -> LuaValue {
    value { stack in
      stack.newTable()
      stack.newTable(fields: 4)
      stack.set("__metatable", "env", at: -1)
      stack.setFunctions([
        (
          "__index",
          { [unowned(unsafe) self] call in
            let name = try call.string(at: 2)
            guard let change = currentChanges.last(where: { $0.name == name }) else {
              let inherited = isPassed(name) ? caller.value(of: name) : nil
              return call.returning(inherited.map { .string(LuaString($0)) } ?? .nil)
            }
            guard change.value.map(LazyText.isMarked) == true else {
              return call.returning(change.value.map { .string(LuaString($0)) } ?? .nil)
            }
            return try APICall(host: self, lua: call).computingVariables { [self] in
              let change = currentChanges.last { $0.name == name }
              return [change?.value.map { .string(LuaString($0)) } ?? .nil]
            }
          }
        ),
        (
          "__newindex",
          { [unowned(unsafe) self] call in
            try setVariable(try call.string(at: 2), to: call.value(at: 3))
            return .none
          }
        ),
        (
          "__pairs",
          { [unowned(unsafe) self] call in
            try APICall(host: self, lua: call).computingVariables { [self] in
              [
                value { stack in
                  stack.push(prelude.parts)
                  stack.rawGet("next", at: -1)
                },
                value { stack in
                  stack.newTable()
                  for (name, value) in caller.variables where isPassed(name) {
                    stack.set(name, .string(LuaString(value)), at: -1)
                  }
                  for (name, value) in currentChanges {
                    stack.set(name, value.map { .string(LuaString($0)) } ?? .nil, at: -1)
                  }
                },
              ]
            }
          }
        ),
      ])
      stack.setMetatable(at: -2)
    }
  }

  /// The variables that the work which runs begins with.
  var caller: CallerEnvironment { context.purpose.caller ?? environment }

  /// Those that it adds to them, or takes away.
  private var currentChanges: [EnvironmentChange] {
    let purpose = context.purpose
    guard !purpose.isNone else { return [] }
    return ProcessContext(purpose.place, over: variables(for: purpose.execution))
      .variables
  }

  /// True if the work that runs gets a variable that it begins with.
  private func isPassed(_ name: String) -> Bool {
    context.purpose.place?.passed?.contains(name) ?? true
  }

  private func setVariable(_ name: String, to value: LuaValue) throws {
    guard !name.isEmpty, !name.contains("="), !name.contains("\0") else {
      throw APIUsageError.variableName(name).error(at: placeOfCall())
    }
    guard value.isNil || value.argumentBytes?.contains(0) == false else {
      throw APIUsageError.variableValue(name, value.type).error(at: placeOfCall())
    }
    let bytes = value.argumentBytes
    if let bytes { Secrets.add(bytes, ifSecret: name) }
    caller.set(name, to: bytes)
    // Otherwise a variable of the command would hide the new value from what it starts.
    guard !isPassed(name) || currentChanges.contains(where: { $0.name == name }) else { return }
    context.purpose.execution?.place?.variables.append((name, bytes))
    context.purpose.surroundings?.place.variables.append((name, bytes))
  }
}

extension APICall {
  /// Returns what `values` makes of the variables, once those of the work that runs are computed.
  fileprivate func computingVariables(_ values: @escaping () -> [LuaValue]) throws -> LuaOutcome {
    let purpose = host.context.purpose
    return try wait { wait in
      host.resolve(purpose, in: wait.subscription) { [host] result in
        wait.finish(result.map { host.context.serving(purpose, values) })
      }
    }
  }
}

/// A variable to set, or to remove if the value is nil.
package typealias EnvironmentChange = (name: String, value: [UInt8]?)

/// Returns an environment with some variables set and others removed, as `NAME=value`; the last
/// change of a name applies. Nil, for the process's own environment, if that has no changes.
///
/// - Parameter passed: the variables of the environment that stay; nil for all.
func environment(
  changing changes: [EnvironmentChange], of caller: CallerEnvironment,
  passing passed: PassedVariables?
) -> [[UInt8]]? {
  if caller.isOwn, changes.isEmpty, passed == nil { return nil }
  // By bytes: the system distinguishes texts that are equal as strings. A process with a parameter has
  // changes, so that this is done for each, over variables of which there may be a hundred.
  let changes = changes.map { (name: $0.name.exactBytes, value: $0.value) }
  var entries = caller.entries { name in
    !changes.contains { $0.name.isSame(as: name) }
      && passed?.contains(String(exactly: name)) != false
  }
  for (index, change) in changes.enumerated() {
    guard let value = change.value,
      !changes[(index + 1)...].contains(where: { $0.name == change.name })
    else { continue }
    entries.append(change.name + [UInt8(ascii: "=")] + value)
  }
  return entries
}

extension [UInt8] {
  fileprivate func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count, let start = other.baseAddress else { return count == other.count }
    return memcmp(self, start, count) == 0
  }
}

extension TableFields {
  /// Returns the variables in a field; false removes one, because a table cannot hold nil.
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
      let lazy = stack.lazyText(at: -1)
      guard !name.isEmpty, !name.contains("="), !name.contains("\0") else {
        problem = "cannot set '\(name)', which is not the name of a variable"
        return false
      }
      guard value == .bool(false) || value.argumentBytes != nil || lazy != nil else {
        problem = "cannot set '\(name)' to a \(value.type.name)"
        return false
      }
      guard value.argumentBytes?.contains(0) != true else {
        problem = "cannot set '\(name)': its value contains a zero byte"
        return false
      }
      changes.append((name, value == .bool(false) ? nil : lazy ?? value.argumentBytes))
      return true
    }
    if let problem { throw bad("\(what) \(problem)") }
    return changes
  }
}
