import LuaRuntime

/// The identity of a call: the command and its input, compared by content. What several executions
/// of one run need is executed once for equal keys.
public struct CallKey: Hashable, Sendable {
  private let command: ObjectIdentifier
  private let input: Content

  /// Makes the key of a command with a complete input.
  init(_ command: ScriptCommand, _ input: LuaValue) {
    self.command = ObjectIdentifier(command)
    // A call without an input has that of a call without arguments.
    self.input = input.isNil ? .table([:]) : command.host.content(of: input)
  }

  /// A value, with tables by content.
  fileprivate enum Content: Hashable, Sendable {
    case value(LuaValue)
    case table([LuaValue: Content])
  }
}

extension ScriptHost {
  fileprivate func content(of value: LuaValue) -> CallKey.Content {
    guard value.type == .table else { return .value(value) }
    return interpreter.withStack { stack in
      stack.push(value)
      return stack.content(at: stack.top, depth: 0)
    } ?? .value(value)
  }
}

extension LuaStack {
  /// The depth from which tables are compared by identity, as those that contain themselves must be.
  private static var deepest: Int { 32 }

  fileprivate func content(at index: Int, depth: Int) -> CallKey.Content {
    guard type(at: index) == .table, depth < Self.deepest, ensure(12) else {
      return .value(value(at: index))
    }
    var fields: [LuaValue: CallKey.Content] = [:]
    try? forEachPair(at: index) { stack throws(LuaError) in
      fields[stack.value(at: -2)] = stack.content(at: stack.top, depth: depth + 1)
      return true
    }
    return .table(fields)
  }
}
