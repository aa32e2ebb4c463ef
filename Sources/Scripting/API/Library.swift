import LuaRuntime

/// The whole Lua library: the functions of the module `rac` and the members of its objects.
enum Library {
  static let functions: [APIFunction] =
    construction + combination + subjects + commandFunctions + system + time + questions

  static let objects: [APIObject] = [
    signalObject, subjectObject, subscriberObject, disposableObject, commandObject,
    executionObject,
  ]

  static let logFunctions: [APIFunction] = LogLevel.allCases.map { level in
    APIFunction(
      level.rawValue, [.variadic("values", .any)],
      "Writes a line of level '\(level.rawValue)' to standard error."
    ) { call in
      let parts = (0..<call.count).map { call.host.describe(call.value(at: $0 + 1)) }
      call.host.onLog(level, parts.joined(separator: " "))
      return .none
    }
  }
}

extension APIFunction {
  /// Throws in Lua's words if an argument is missing or of a wrong type.
  ///
  /// - Parameter offset: how many arguments come before the first parameter: 1 for a method.
  func check(_ call: APICall, offset: Int) throws {
    for (position, parameter) in parameters.enumerated() {
      let index = position + 1 + offset
      if parameter.isVariadic {
        for rest in stride(from: index, through: call.count, by: 1) {
          try parameter.type.check(call, at: rest)
        }
      } else if parameter.type == .any {
        continue
      } else if !(parameter.isOptional && call.lua.isNoneOrNil(at: index)) {
        try parameter.type.check(call, at: index)
      }
    }
  }
}

extension APIType {
  func check(_ call: APICall, at index: Int) throws {
    guard !accepts(call, at: index) else { return }
    throw LuaArgumentError.type(at: index, expected: name)
  }

  private func accepts(_ call: APICall, at index: Int) -> Bool {
    let type = call.stack.type(at: index)
    switch self {
    case .any: return true
    case .boolean: return type == .boolean
    // Whether a number is integral is told apart by the function, with a message of its own.
    case .integer, .number: return call.stack.number(at: index) != nil
    case .string: return type == .string || type == .number
    case .table: return type == .table
    case .function: return type == .function
    case .object(let kind): return kind.accepts(call.stack, at: index)
    case .either(let one, let other):
      return one.accepts(call, at: index) || other.accepts(call, at: index)
    }
  }
}

extension ObjectKind {
  fileprivate func accepts(_ stack: LuaStack, at index: Int) -> Bool {
    switch self {
    case .signal: stack.object(at: index, Userdata.signal) != nil
    case .subject: stack.object(at: index, Userdata.subject) != nil
    case .execution: stack.object(at: index, Userdata.execution) != nil
    case .command: stack.object(at: index, Userdata.command) != nil
    case .disposable: stack.object(at: index, Userdata.disposable) != nil
    case .subscriber: stack.object(at: index, Userdata.subscriber) != nil
    }
  }
}

extension ScriptHost {
  /// Registers the kinds of objects, and makes `rac` a global and a module.
  func openLibrary(script: String) {
    for object in Library.objects { register(object) }
    let module = value { stack in
      stack.newTable(fields: 64)
      for function in Library.functions {
        stack.pushFunction(body(of: function, offset: 0))
        stack.rawSet(function.name, at: -2)
      }
      stack.newTable(fields: 4)
      for function in Library.logFunctions {
        stack.pushFunction(body(of: function, offset: 0))
        stack.rawSet(function.name, at: -2)
      }
      stack.rawSet("log", at: -2)
      stack.set("version", .string(Self.version), at: -1)
      stack.set("commands", .reference(commandTable), at: -1)
      stack.set("env", environmentTable(), at: -1)
      pushArguments(script, on: stack)
    }
    interpreter.setGlobal("rac", module)
    interpreter.preload("rac", value { $0.pushFunction { call in call.returning(module) } })
  }

  /// `rac.args`, and `arg` with the script's name at 0 as the `lua` program has it.
  private func pushArguments(_ script: String, on stack: LuaStack) {
    for isGlobal in [false, true] {
      stack.newTable(elements: arguments.count)
      for (index, argument) in arguments.enumerated() {
        stack.push(argument)
        stack.rawSet(index + 1, at: -2)
      }
      if isGlobal {
        stack.push(script)
        stack.rawSet(0, at: -2)
        interpreter.setGlobal("arg", stack.value(at: -1))
        stack.pop()
      } else {
        stack.rawSet("args", at: -2)
      }
    }
  }

  private func body(of function: APIFunction, offset: Int) -> LuaFunctionBody {
    { [unowned(unsafe) self] lua in
      let call = APICall(host: self, lua: lua)
      try function.check(call, offset: offset)
      return try function.body(call)
    }
  }

  private func register(_ object: APIObject) {
    switch object.kind {
    case .signal: interpreter.register(Userdata.signal) { define(object, &$0) }
    case .subject: interpreter.register(Userdata.subject) { define(object, &$0) }
    case .execution: interpreter.register(Userdata.execution) { define(object, &$0) }
    case .command: interpreter.register(Userdata.command) { define(object, &$0) }
    case .disposable: interpreter.register(Userdata.disposable) { define(object, &$0) }
    case .subscriber: interpreter.register(Userdata.subscriber) { define(object, &$0) }
    }
  }

  private func define(_ object: APIObject, _ definition: inout LuaTypeDefinition) {
    for method in object.methods { definition.method(method.name, body(of: method, offset: 1)) }
    for property in object.properties {
      definition.getter(property.name) { [unowned(unsafe) self] lua in
        try property.read(APICall(host: self, lua: lua))
      }
      guard let write = property.write else { continue }
      definition.setter(property.name) { [unowned(unsafe) self] lua in
        try write(APICall(host: self, lua: lua))
      }
    }
    for metamethod in object.metamethods {
      definition.metamethod(metamethod.name, body(of: metamethod, offset: 0))
    }
  }
}
