import LuaRuntime
import Platform

/// The whole Lua library: the functions of the module `rac` and the members of its objects.
public enum Library {
  static let functions: [APIFunction] = functionFamilies.flatMap(\.functions)

  /// The functions of `rac`, by purpose.
  static let functionFamilies = [
    APIFamily(title: "Making signals", functions: construction + starting),
    APIFamily(title: "Making one signal of several", functions: combination + choices),
    APIFamily(title: "Signals controlled by hand", functions: subjects),
    APIFamily(
      title: "Commands", functions: commandFunctions + including + adopting + lazyFunctions),
    APIFamily(title: "Processes", functions: system),
    APIFamily(title: "Files and standard input", functions: files + fileQuestions),
    APIFamily(title: "Servers and their ports", functions: probes),
    APIFamily(title: "Time", functions: time + testTime),
    APIFamily(title: "Questions", functions: questions),
  ]

  /// The methods of signals, by purpose.
  static let signalFamilies = [
    APIFamily(title: "Subscribing", functions: [subscribe]),
    APIFamily(title: "Waiting in a coroutine", functions: waiting),
    APIFamily(title: "Transforming values", functions: transforming),
    APIFamily(title: "Truths", functions: truths),
    APIFamily(title: "Signals of signals", functions: flattening),
    APIFamily(title: "Combining signals", functions: combining),
    APIFamily(title: "Letting only some values through", functions: limiting),
    APIFamily(title: "Time", functions: timing),
    APIFamily(title: "Errors, and starting again", functions: errorHandling),
    APIFamily(title: "Effects", functions: effects),
    APIFamily(title: "One subscription for many", functions: multicasting),
    APIFamily(title: "Where things happen", functions: scheduling),
  ]

  /// `rac` itself.
  static let root = APIModule(
    path: "rac", summary: "Signals, commands and processes.", functions: functions,
    fields: rootFields)

  static let rootFields = [
    APIField("version", needs: [], .string, "The version of the library.") { _ in
      .string(ScriptHost.version)
    },
    APIField("commands", needs: [], .table, "The named commands, by name.") { host in
      host.namedCommands()
    },
    APIField(
      "env", needs: .environment, .table,
      "The process's environment, which you can read, write and iterate over."
    ) { host in
      host.environmentTable()
    },
    APIField(
      "invocation_dir", needs: .files, .noted(.string, "string?"),
      "The absolute path of the folder from which the user called Raclette.",
      moment: .everyRead
    ) { host in
      host.caller.invocationFolder.map { .string($0) } ?? .nil
    },
    APIField(
      "os", needs: [], .string,
      "The operating system, such as `linux` or `macos`, as in the key `os` of a command."
    ) { _ in
      OperatingSystem.current.map { .string($0.rawValue) } ?? .nil
    },
    APIField(
      "arch", needs: [], .string, "The processor architecture, such as `x86_64` or `arm64`.",
      moment: .firstRead
    ) { _ in
      .string(ProcessorKind.name)
    },
    APIField(
      "processors", needs: [], .integer,
      "The number of processors that this process may use, by its affinity and the quota of its control group, rounded up.",
      moment: .firstRead
    ) { _ in
      .integer(Int64(Processors.usable))
    },
    APIField(
      "slot", needs: [], .integer,
      "The number of the execution among those that run at the same time, starting at 1, as in the variable `RACLETTE_SLOT`: with `--jobs N`, at most N. Nested executions have the same number. Nil outside of executions.",
      moment: .everyRead
    ) { host in
      host.currentExecution?.slotNumber.map { .integer(Int64($0)) } ?? .nil
    },
    APIField("args", needs: [], .table, "The arguments after the script's name.") { host in
      host.argumentTable(script: nil)
    },
  ]

  /// The tables inside `rac`.
  static let modules: [APIModule] = [
    APIModule(
      path: "rac.log", summary: "Functions that write lines to standard error, by level.",
      functions: logFunctions),
    APIModule(path: "rac.json", summary: "JSON texts.", functions: json),
    APIModule(
      path: "rac.scheduler", summary: "Schedulers, which decide where and when functions run.",
      fields: schedulerFields),
  ]

  static let schedulerFields = [
    APIField(
      "main", needs: [], .object(.scheduler),
      "The event loop: always in a later turn, in order."
    ) { host in
      host.value {
        $0.push(SchedulerObject(host.scheduler, named: "main"), as: Userdata.scheduler)
      }
    },
    APIField(
      "immediate", needs: [], .object(.scheduler),
      "Runs functions immediately; a function scheduled by another one runs after it."
    ) { host in
      host.value { stack in
        let scheduler = InlineScheduler(timers: host.scheduler)
        stack.push(SchedulerObject(scheduler, named: "immediate"), as: Userdata.scheduler)
      }
    },
  ]

  /// The module with a path.
  static func module(_ path: String) -> APIModule {
    modules.first { $0.path == path } ?? root
  }

  static let objects: [APIObject] = [
    signalObject, subjectObject, subscriberObject, disposableObject, commandObject,
    executionObject, groupObject, connectionObject, schedulerObject,
    testSchedulerObject, lazyObject,
  ]

  static func object(_ kind: ObjectKind) -> APIObject {
    switch kind {
    case .signal: signalObject
    case .subject: subjectObject
    case .command: commandObject
    case .execution: executionObject
    case .group: groupObject
    case .connection: connectionObject
    case .scheduler: schedulerObject
    case .disposable: disposableObject
    case .subscriber: subscriberObject
    case .testScheduler: testSchedulerObject
    case .lazy: lazyObject
    }
  }

  static let logFunctions: [APIFunction] = LogLevel.allCases.map { level in
    APIFunction(
      level.rawValue, needs: .output, [.variadic("values", .any)],
      "Writes a line of level '\(level.rawValue)' to standard error.",
      example: "rac.log.\(level.rawValue)(\(level.exampleArguments))"
    ) { call in
      let parts = (0..<call.count).map { call.host.describe(call.value(at: $0 + 1)) }
      call.host.log(level, parts.joined(separator: " "))
      return .none
    }
  }
}

extension LogLevel {
  fileprivate var exampleArguments: String {
    switch self {
    case .debug: #""cache hit for", "main.o""#
    case .info: #""compiled", 12, "files""#
    case .warn: #""the disk is 95 % full""#
    case .error: #""nothing was uploaded""#
    }
  }
}

extension ScriptHost {
  /// Registers the kinds of objects, and makes `rac` a global and a module.
  ///
  /// - Parameter granted: the capabilities that scripts will have.
  func openLibrary(script: String, granted: Capabilities) {
    // Parents come first.
    for kind in ObjectKind.allCases { register(kind) }
    interpreter.lateFunction = { [unowned(unsafe) self] number in
      LibraryPart.function(number).map { path, function in
        let name = "\(path).\(function.name)"
        return (name, body(of: function, named: name, offset: 0))
      }
    }
    let module = value { stack in
      push(nil, Library.rootFields, granted, on: stack)
      push("log", [], granted, on: stack)
      push("json", [], granted, on: stack)
      push("scheduler", Library.schedulerFields, granted, on: stack)
    }
    interpreter.setGlobal("rac", module)
    interpreter.preload("rac", value { $0.pushFunction { call in call.returning(module) } })
    interpreter.setGlobal("arg", argumentTable(script: script))
  }

  /// The globals that the library adds to Lua's own.
  static let globals: Set = ["rac", "arg"]

  /// Pushes `rac`, or sets a table inside it. Its functions are made when they are called.
  private func push(
    _ inner: String?, _ fields: [APIField], _ granted: Capabilities, on stack: LuaStack
  ) {
    let path = inner.map { "rac." + $0 } ?? "rac"
    stack.newTable(fields: inner == nil ? 64 : 4)
    for part in LibraryPart.allCases where part.path == path {
      stack.setLateFunctions(part.names, from: part.firstNumber)
    }
    if inner == nil {
      Library.pushJust(stack)
      stack.rawSet("just", at: -2)
    }
    for field in fields where field.moment == .opening {
      let isGranted = field.needs.isSubset(of: granted)
      stack.set(field.name, isGranted ? field.make(self) : field.type.refused(in: self), at: -1)
    }
    refuseOtherNames(of: path, on: stack)
    if let inner { stack.rawSet(inner, at: -2) }
  }

  /// Returns `rac.args`; with the script's name at 0 and the program's at -1 it becomes `arg`, as
  /// in the `lua` program.
  func argumentTable(script: String?) -> LuaValue {
    value { stack in
      stack.newTable(elements: arguments.count)
      for (index, argument) in arguments.enumerated() {
        stack.push(argument)
        stack.rawSet(index + 1, at: -2)
      }
      guard let script else { return }
      stack.push(script)
      stack.rawSet(0, at: -2)
      stack.push(ProcessEnvironment.arguments().first ?? "raclette")
      stack.rawSet(-1, at: -2)
    }
  }

  private func body(
    of function: APIFunction, named name: String, offset: Int
  ) -> LuaFunctionBody {
    let body: @Sendable (APICall) throws -> LuaOutcome
    switch function.implementation {
    case .body(let own), .sender(let own): body = own
    case .native: preconditionFailure("\(function.name) has no body")
    }
    let checks = ArgumentChecks(of: function.parameters, offset: offset)
    let needs = function.needs
    let host = Unmanaged.passUnretained(self)
    return { lua in
      try host._withUnsafeGuaranteedRef { host in
        if !needs.isEmpty { try host.demandAtCall(needs, of: function, name) }
        // A script that never pauses must not fill memory with dropped objects.
        if host.interpreter.collectedCount > 1_000 { host.interpreter.releaseCollected() }
        let call = APICall(host: host, lua: lua)
        try checks.run(call)
        do { return try body(call) } catch let misuse as APIUsageError {
          throw misuse.error(at: host.placeOfCall())
        }
      }
    }
  }

  private func register(_ kind: ObjectKind) {
    let define: (inout LuaTypeDefinition) -> Void = { [unowned(unsafe) self] definition in
      defineMethods(of: Library.object(kind), &definition)
      defineProperties(of: Library.object(kind), &definition)
    }
    switch kind {
    case .signal: interpreter.register(Userdata.signal, standIn: signalObject, define)
    case .subject:
      interpreter.register(Userdata.subject) { [unowned(unsafe) self] definition in
        defineMethods(of: Library.object(kind), &definition)
      }
      interpreter.register(Userdata.behaviorSubject) { [unowned(unsafe) self] definition in
        defineProperties(of: Library.object(kind), &definition)
      }
    case .execution: interpreter.register(Userdata.execution, define)
    case .command: interpreter.register(Userdata.command, define)
    case .group: interpreter.register(Userdata.group, define)
    case .connection: interpreter.register(Userdata.connection, define)
    case .scheduler: interpreter.register(Userdata.scheduler, define)
    case .testScheduler: interpreter.register(Userdata.testScheduler, define)
    case .lazy: interpreter.register(Userdata.lazy, define)
    case .disposable:
      interpreter.register(Userdata.disposable, standIn: disposableObject, define)
    case .subscriber: interpreter.register(Userdata.subscriber, define)
    }
  }

  private func defineMethods(of object: APIObject, _ definition: inout LuaTypeDefinition) {
    for method in object.methods {
      let name = "\(object.kind.rawValue):\(method.name)"
      let body = body(of: method, named: name, offset: 1)
      if case .sender = method.implementation {
        definition.sender(method.name, body)
      } else {
        definition.method(method.name, body)
      }
    }
    for metamethod in object.metamethods {
      definition.metamethod(
        metamethod.name, body(of: metamethod, named: metamethod.name, offset: 0))
    }
  }

  private func defineProperties(of object: APIObject, _ definition: inout LuaTypeDefinition) {
    for property in object.properties {
      definition.getter(property.name) { [unowned(unsafe) self] lua in
        try demand(property.needs, for: "\(object.kind.rawValue).\(property.name)")
        return try property.read(APICall(host: self, lua: lua))
      }
      guard let write = property.write else { continue }
      definition.setter(property.name) { [unowned(unsafe) self] lua in
        try write(APICall(host: self, lua: lua))
      }
    }
  }
}
