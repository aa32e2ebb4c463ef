import LuaRuntime

/// A check of one argument before a function is called.
struct ArgumentCheck {
  let index: Int
  private let type: APIType
  private let isOptional: Bool
  private let isVariadic: Bool
  private let mistake: (@Sendable (APICall) -> String?)?

  /// Returns the checks of a function's arguments; some arguments need none.
  ///
  /// - Parameter offset: the number of arguments before the first parameter: 1 for a method.
  static func all(of parameters: [APIParameter], offset: Int) -> [ArgumentCheck] {
    parameters.enumerated().compactMap { position, parameter in
      if parameter.type.isAny { return nil }
      return ArgumentCheck(
        index: position + 1 + offset, type: parameter.type, isOptional: parameter.isOptional,
        isVariadic: parameter.isVariadic, mistake: parameter.mistake)
    }
  }

  /// The types of Lua whose values pass without a further look.
  var plainTypes: LuaTypes {
    if isVariadic { return [] }
    return isOptional ? type.plainTypes.union([.none, .nil]) : type.plainTypes
  }

  /// Throws in Lua's wording if the argument is missing or has the wrong type.
  func run(_ call: APICall) throws {
    if isVariadic {
      for rest in stride(from: index, through: call.count, by: 1) {
        try type.check(call, at: rest)
      }
    } else if !(isOptional && call.lua.isNoneOrNil(at: index)) {
      do { try type.check(call, at: index) } catch {
        guard let problem = mistake?(call) else { throw error }
        throw LuaArgumentError.value(at: index, problem: problem)
      }
    }
  }
}

/// A set of types of Lua.
struct LuaTypes: OptionSet {
  let rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  init(_ type: LuaType) { rawValue = 1 << UInt16(type.rawValue + 1) }

  static let none = LuaTypes(.none)
  static let `nil` = LuaTypes(.nil)
}

/// The checks of a function's arguments. Most arguments pass by their type in Lua alone.
struct ArgumentChecks {
  private let checks: [ArgumentCheck]
  private let plain: ContiguousArray<(index: Int, types: LuaTypes)>
  /// The index of the last parameter; nil for any number of arguments.
  private let last: Int?
  private let offset: Int

  init(of parameters: [APIParameter], offset: Int) {
    last = parameters.last?.isVariadic == true ? nil : parameters.count + offset
    self.offset = offset
    checks = ArgumentCheck.all(of: parameters, offset: offset)
    plain = ContiguousArray(checks.map { ($0.index, $0.plainTypes) })
  }

  @inline(__always)
  func run(_ call: APICall) throws {
    for position in plain.indices {
      let (index, types) = plain[position]
      if types.contains(LuaTypes(call.stack.type(at: index))) { continue }
      try checks[position].run(call)
    }
    if let last, call.count > last { try refuseTable(in: call, behind: last) }
  }

  /// Lua drops surplus arguments, as the second result of `gsub`. A table among them was meant: its
  /// options would be ignored without a word.
  private func refuseTable(in call: APICall, behind last: Int) throws {
    for index in (last + 1)...call.count where call.stack.type(at: index) == .table {
      let count = last - offset
      let takes = count == 0 ? "no arguments" : count == 1 ? "1 argument" : "\(count) arguments"
      let isAfterTable = count > 0 && call.stack.type(at: last) == .table
      throw LuaArgumentError.value(
        at: index,
        problem: "it takes \(takes), and would ignore this table"
          + (isAfterTable ? "; options are fields of the table before it" : ""))
    }
  }
}

extension APIType {
  /// The types of Lua all of whose values are of this type.
  var plainTypes: LuaTypes {
    switch self {
    case .any, .object: []
    case .noted(let type, _): type.plainTypes
    case .boolean: LuaTypes(.boolean)
    case .integer, .number: LuaTypes(.number)
    case .string: [LuaTypes(.string), LuaTypes(.number)]
    case .table: LuaTypes(.table)
    case .function: LuaTypes(.function)
    case .either(let one, let other): one.plainTypes.union(other.plainTypes)
    }
  }

  func check(_ call: APICall, at index: Int) throws {
    guard !accepts(call, at: index) else { return }
    throw LuaArgumentError.type(at: index, expected: name)
  }

  private func accepts(_ call: APICall, at index: Int) -> Bool {
    if plainTypes.contains(LuaTypes(call.stack.type(at: index))) { return true }
    switch self {
    case .any: return true
    case .noted(let type, _): return type.accepts(call, at: index)
    // The function itself checks that a number is integral, with a message of its own.
    case .integer, .number: return call.stack.number(at: index) != nil
    case .object(let kind): return kind.accepts(call.stack, at: index)
    case .either(let one, let other):
      return one.accepts(call, at: index) || other.accepts(call, at: index)
    // A text that is computed later; a function that needs it now refuses it itself.
    case .string: return call.stack.holds(Userdata.lazy, at: index)
    case .boolean, .table, .function: return false
    }
  }
}

extension ObjectKind {
  fileprivate func accepts(_ stack: LuaStack, at index: Int) -> Bool {
    switch self {
    case .signal: stack.holds(Userdata.signal, at: index)
    case .subject: stack.holds(Userdata.subject, at: index)
    case .execution: stack.holds(Userdata.execution, at: index)
    case .command: stack.holds(Userdata.command, at: index)
    case .group: stack.holds(Userdata.group, at: index)
    case .connection: stack.holds(Userdata.connection, at: index)
    case .scheduler: stack.holds(Userdata.scheduler, at: index)
    case .testScheduler: stack.holds(Userdata.testScheduler, at: index)
    case .disposable: stack.holds(Userdata.disposable, at: index)
    case .subscriber: stack.holds(Userdata.subscriber, at: index)
    case .lazy: stack.holds(Userdata.lazy, at: index)
    }
  }
}
