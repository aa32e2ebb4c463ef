import LuaRuntime
import Testing

@testable import Scripting

/// The whole table of the library in the sandbox: each entry and each key does what its capabilities say.
@Suite("Capabilities", .timeLimit(.minutes(5))) struct CapabilityTests {
  private static let modules = [Library.root] + Library.modules

  /// The functions of `rac`, as scripts write them.
  private static let functions = modules.flatMap { module in
    module.functions.map { (path: "\(module.path).\($0.name)", function: $0) }
  }

  @Test func eachFunctionThatNeedsMoreIsRefusedAndNoOther() throws {
    let script = try Script(sandbox: Sandbox())
    defer { script.finish() }
    let calls = Self.functions.map { path, function in
      let arguments = ([path] + SampleArguments(function: function).texts).joined(separator: ", ")
      // An error of a function is fine, a refusal is not.
      return
        "do local ok, e = pcall(\(arguments)) print('\(path)', not ok and tostring(e):match('.*not available in the sandbox') or 'allowed') end"
    }
    let result = script.run(calls.joined(separator: "\n"))
    #expect(result.failure == nil)
    var answers = Dictionary(
      uniqueKeysWithValues: result.output.map { line in
        let parts = line.split(separator: "\t")
        return (String(parts[0]), String(parts[1]))
      })
    for (path, function) in Self.functions {
      let given = answers.removeValue(forKey: path)
      let answer = try #require(given, "\(path)")
      if function.needs.isSubset(of: Sandbox.granted) {
        #expect(answer == "allowed", "\(path)")
      } else {
        #expect(answer.hasSuffix("'\(path)' is not available in the sandbox"), "\(path): \(answer)")
      }
      print("sandbox: \(path): \(answer)")
    }
    #expect(answers.isEmpty)
  }

  @Test func whatIsRefusedInTheSandboxIsThis() {
    let refused = Self.functions.filter { !$0.function.needs.isSubset(of: Sandbox.granted) }
    #expect(
      refused.map(\.path).sorted() == [
        "rac.adopt", "rac.digest", "rac.exec", "rac.file_exists", "rac.glob", "rac.http",
        "rac.include",
        "rac.port", "rac.sh", "rac.stat", "rac.tcp", "rac.watch", "rac.which",
      ])
    let fields = Self.modules.flatMap(\.fields).filter { !$0.needs.isSubset(of: Sandbox.granted) }
    #expect(fields.map(\.name) == ["env", "invocation_dir"])
  }

  @Test func membersOfObjectsNeedNoMoreThanTheSandboxGrants() {
    // An object that a sandboxed script can have is there for it; more would have to be tried here.
    for object in Library.objects {
      for function in object.methods + object.metamethods {
        #expect(function.needs.isSubset(of: Sandbox.granted), "\(object.kind) \(function.name)")
      }
      for property in object.properties {
        #expect(property.needs.isSubset(of: Sandbox.granted), "\(object.kind) \(property.name)")
      }
    }
  }

  @Test(
    arguments: [
      (record: Library.commandDefinition, call: "rac.command"),
      (record: Library.parameter, call: "rac.command"),
      (record: Library.retry, call: "rac.command"),
      (record: Library.observer, call: "rac.just(1):subscribe"),
    ] as [(record: APIRecord, call: String)])
  func eachKeyThatNeedsMoreIsRefused(_ record: APIRecord, _ call: String) throws {
    for field in record.fields {
      let needs = try #require(field.needs, "\(record.name).\(field.name) has been thought about")
      let key = "\(field.name) = 'x'"
      let table =
        switch record.name {
        case Library.parameter.name: "{run = print, params = {{name = 'p', \(key)}}}"
        case Library.retry.name: "{run = print, retry = {times = 1, \(key)}}"
        case Library.commandDefinition.name: "{run = print, \(key)}"
        default: "{\(key)}"
        }
      let script = try Script(sandbox: Sandbox())
      defer { script.finish() }
      let message = script.run("\(call)(\(table))").failure?.message ?? ""
      let isRefused = message.contains("'\(field.name)' is not available in the sandbox")
      #expect(isRefused == !needs.isSubset(of: Sandbox.granted), "\(field.name): \(message)")
      print("sandbox: key \(field.name) of \(record.name): \(isRefused ? "refused" : "allowed")")
    }
  }

  @Test func hostCodeInLuaUsesNoGlobalOfAScript() throws {
    let lines = try Script.lines(
      """
      for _, library in pairs{string, table, debug, coroutine} do
        for name in pairs(library) do library[name] = function() error("a replaced function ran") end end
      end
      getmetatable("").__index = function() error("a method of strings ran") end
      local print, rac = print, rac
      for _, name in ipairs{"select", "type", "next", "setmetatable", "tostring", "rawget", "pairs"} do
        _G[name] = function() error("a replaced " .. name .. " ran") end
      end
      local pair = rac.combine_latest(rac.just(1), rac.just(2)):first()
      print(pair:unpack())
      print(pair == rac.tuple(1, 2), rac.json.decode("[1]")[1], rac.env.PATH ~= nil)
      """)
    #expect(lines == ["1\t2", "true\t1\ttrue"])
  }

  @Test func theMetatableOfTuplesIsOutOfReach() throws {
    let lines = try Script.lines(
      "local t = rac.tuple(1) print(t.__index, t.__gc, t.__eq, getmetatable(t), t:unpack())")
    #expect(lines == ["nil\tnil\tnil\ttuple\t1"])
  }
}

@Suite("A rehearsal", .timeLimit(.minutes(5))) struct RehearsalTests {
  private func run(_ code: String) throws -> ScriptResult {
    let script = try Script()
    script.host.rehearse(for: "check")
    defer { script.finish() }
    return script.run(code)
  }

  @Test(arguments: [
    ("os.execute('true')", "os.execute", "start a process"),
    ("io.popen('true')", "io.popen", "start a process"),
    ("rac.sh('true'):first()", "rac.sh", "start a process"),
    ("rac.exec{'true'}:wait()", "rac.exec", "start a process"),
    ("os.remove('nothing')", "os.remove", "change files"),
    ("os.rename('nothing', 'something')", "os.rename", "change files"),
    ("os.tmpname()", "os.tmpname", "change files"),
    ("io.open('nothing', 'w')", "io.open", "change files"),
    ("io.open('nothing', 'r+')", "io.open", "change files"),
    ("io.open('nothing', 'ab')", "io.open", "change files"),
    ("io.output('nothing')", "io.output", "change files"),
    ("io.output(5)", "io.output", "change files"),
    ("io.output(5.5)", "io.output", "change files"),
    ("os.remove(5)", "os.remove", "change files"),
    ("io.popen(5)", "io.popen", "start a process"),
    ("os.execute(5)", "os.execute", "start a process"),
    ("io.tmpfile()", "io.tmpfile", "change files"),
    ("os.exit(0)", "os.exit", "end the program"),
    ("package.loadlib('libc.so.6', '*')", "package.loadlib", "reach native code"),
    ("debug.getregistry()", "debug.getregistry", "reach native code"),
    ("debug.getupvalue(os.execute, 1)", "debug.getupvalue", "reach native code"),
    ("local run = os.execute; run('true')", "os.execute", "start a process"),
  ])
  func refuses(_ code: String, _ name: String, _ effect: String) throws {
    let script = try Script()
    defer { script.finish() }
    script.host.rehearse(for: "check")
    let failure = try #require(script.run("\n" + code).failure)
    #expect(
      failure.message
        == "test:2: '\(name)' would \(effect), which check does not allow; --trust allows it")
    #expect(script.host.isRefusal(failure))
  }

  @Test func whatOnlyLooksWorks() throws {
    let result = try run(
      """
      print(io.open("/etc/passwd"):read("l") ~= nil, io.open("/etc/passwd", "rb"):close())
      for line in io.lines("/etc/passwd") do print(#line > 0) break end
      print(os.getenv("PATH") == rac.env.PATH, pcall(dofile, "/nothing"))
      print(debug.getinfo(1, "S").short_src, type(debug.traceback()), load("return 1")())
      print(setmetatable({}, {__gc = function() end}) ~= nil, io.output() == io.stdout)
      print(rac.sh("touch x") ~= nil, rac.file_exists("/"):first())
      """)
    #expect(result.failure == nil)
    #expect(
      result.output == [
        "true\ttrue", "true", "true\tfalse\tcannot open /nothing: No such file or directory",
        "test\tstring\t1", "true\ttrue",
        "true\ttrue",
      ])
  }

  @Test func compiledChunksAreRefused() throws {
    let result = try run(
      """
      local chunk = string.dump(function() return "ran" end)
      print(load(chunk))
      print(load(chunk, "c", "b"))
      """)
    #expect(result.output.allSatisfy { $0.contains("attempt to load a binary chunk") })
    #expect(result.output.count == 2)
  }

  @Test func aRefusalThatIsCaughtIsOver() throws {
    let result = try run("print(pcall(os.execute, 'true')) print('on')")
    #expect(result.failure == nil)
    #expect(result.output.last == "on")
  }

  @Test func anErrorOfTheScriptIsNoRefusal() throws {
    let script = try Script()
    defer { script.finish() }
    script.host.rehearse(for: "check")
    let failure = try #require(script.run("pcall(os.execute, 'x') error('mine')").failure)
    #expect(!script.host.isRefusal(failure))
  }
}
