import EventLoop
import LuaRuntime
import Platform
import Testing

@testable import Scripting

/// The table of the API, what scripts find, and the stubs say the same.
@Suite("The library") struct LibraryTests {
  /// Every name that scripts can reach: `rac.just`, `rac.log.info`, `signal:map`, `command.name`.
  static var described: Set<String> {
    var names = functions
    for module in [Library.root] + Library.modules {
      names.formUnion(module.fields.map { "\(module.path).\($0.name)" })
    }
    names.formUnion(Library.modules.map(\.path))
    for object in Library.objects {
      names.formUnion(object.properties.map { "\(object.kind.rawValue).\($0.name)" })
    }
    return names
  }

  /// The names of all functions and methods.
  static var functions: Set<String> { Set(entries.map(\.name)) }

  /// All functions and methods: `rac.just`, `signal:map`.
  static var entries: [(name: String, function: APIFunction)] {
    ([Library.root] + Library.modules).flatMap { module in
      module.functions.map { ("\(module.path).\($0.name)", $0) }
    }
      + Library.objects.flatMap { object in
        object.methods.map { ("\(object.kind.rawValue):\($0.name)", $0) }
      }
  }

  @Test func theModuleHoldsWhatTheTableDescribesAndNothingElse() throws {
    let lines = try Script.lines(
      """
      for name, value in pairs(rac) do
        print("rac." .. name)
        if (name == "log" or name == "json" or name == "scheduler") then
          for inner in pairs(value) do print("rac." .. name .. "." .. inner) end
        end
      end
      """)
    // What is nil outside of executions is no entry of the table.
    let live = Library.rootFields.filter { $0.moment == .everyRead }.map { "rac.\($0.name)" }
    #expect(
      Set(lines) == Self.described.filter { $0.hasPrefix("rac.") && !live.contains($0) })
    #expect(lines.count == Set(lines).count)
  }

  @Test func eachPartNamesItsFunctions() {
    for part in LibraryPart.allCases {
      let names = "\(part.names)".split(separator: " ").map(String.init)
      #expect(names == part.functions.map(\.name), "\(part)")
    }
    let listed = LibraryPart.allCases.flatMap { part in
      part.functions.map { "\(part.path).\($0.name)" }
    }
    #expect(Set(listed) == Set(Self.entries.map(\.name).filter { $0.hasPrefix("rac.") }))
  }

  @Test func aFunctionIsTheSameBeforeAndAfterItsFirstCall() throws {
    let lines = try Script.lines(
      """
      local before = {interval = rac.interval, encode = rac.json.encode}
      print(pcall(rac.interval))
      print(rac.json.encode{1, 2})
      print(before.interval == rac.interval, before.encode == rac.json.encode)
      print(pcall(before.interval))
      print(before.encode{1, 2})
      """)
    let misuse = "false\tbad argument #1 to 'rac.interval' (number expected, got no value)"
    #expect(lines == [misuse, "[1,2]", "true\ttrue", misuse, "[1,2]"])
  }

  @Test func aScriptThatPutsAnotherNumberInAFunctionOnlyGetsAnotherFunction() throws {
    let lines = try Script.lines(
      """
      local function with(number)
        debug.setupvalue(rac.sleep, 1, number)
        local succeeds, result = pcall(rac.sleep)
        return succeeds and type(result) or (tostring(result):gsub("^.-: ", ""))
      end
      print(with(-1)) print(with(1 << 60)) print(with(63)) print(with(1))
      """)
    #expect(lines == Array(repeating: "the host function is gone", count: 4))
  }

  @Test func objectsHaveTheMembersDescribed() throws {
    let samples = ArgumentTests.objects
    #expect(Set(samples.keys) == Set(ObjectKind.allCases))
    for object in Library.objects {
      let sample = try #require(samples[object.kind])
      let names = object.methods.map(\.name) + ["nonsense"]
      let list = names.map { "'\($0)'" }.joined(separator: ", ")
      let lines = try Script.lines(
        "local o = \(sample) for _, name in ipairs{\(list)} do print(name, type(o[name])) end")
      #expect(lines == object.methods.map { "\($0.name)\tfunction" } + ["nonsense\tnil"])
      for property in object.properties {
        let lines = try Script.lines(
          "local o = \(sample) local v = o.\(property.name) print('read')")
        #expect(lines == ["read"], "\(object.kind).\(property.name)")
        let written = try Script.run("local o = \(sample) o.\(property.name) = true")
        #expect((written.failure == nil) == (property.write != nil), "\(property.name)")
      }
    }
  }

  @Test func theStubsNameEverythingAndNothingElse() throws {
    var names: Set<String> = []
    var current = ""
    // By the name of its class.
    let kinds = Dictionary(uniqueKeysWithValues: ObjectKind.allCases.map { ($0.className, $0) })
    for line in Library.stubs().split(separator: "\n") {
      if line.hasPrefix("---@class ") {
        let name = String(line.dropFirst("---@class ".count).prefix { $0 != " " && $0 != "<" })
        if name.hasPrefix("rac.module.") {
          current = "rac.\(name.dropFirst("rac.module.".count))"
          names.insert(current)
        } else {
          current = name == "rac" ? name : kinds[name]?.rawValue ?? ""
        }
      } else if line.hasPrefix("---@field "), !current.isEmpty {
        let name = line.dropFirst("---@field ".count).prefix { $0 != " " && $0 != "?" }
        names.insert("\(current).\(name)")
      } else if line.hasPrefix("function ") {
        let name = line.dropFirst("function ".count).prefix { $0 != "(" }
        let last = name.split(whereSeparator: { $0 == "." || $0 == ":" }).last ?? ""
        names.insert("\(current)\(name.contains(":") ? ":" : ".")\(last)")
      }
    }
    #expect(names == Self.described)
  }

  @Test func theStubsAreLua() throws {
    let interpreter = try LuaInterpreter()
    defer { interpreter.close() }
    _ = try interpreter.load(Library.stubs(), chunkName: "=stubs")
  }

  @Test func everyTypeOfTheStubsIsAClassOfTheStubs() {
    let stubs = Library.stubs()
    var classes: Set<Substring> = []
    var used: Set<Substring> = []
    for line in stubs.split(separator: "\n") where line.hasPrefix("---@") {
      let names = line.split { !$0.isLetter && $0 != "." && $0 != "_" }.filter {
        $0.hasPrefix("rac.") && $0.dropFirst(4).first?.isUppercase == true
      }
      if line.hasPrefix("---@class ") || line.hasPrefix("---@alias ") {
        classes.formUnion(names.prefix(1))
      }
      used.formUnion(names)
    }
    #expect(used == classes)
  }

  @Test("The stubs have every field of the tables", arguments: Library.records.map(\.name))
  func records(_ name: String) throws {
    let record = try #require(Library.records.first { $0.name == name })
    let lines = Library.stubs().split(separator: "\n")
    let start = try #require(
      lines.firstIndex {
        $0.hasPrefix("---@class \(name)") && $0.dropFirst(10 + name.count).first != "s"
      })
    let fields = lines[(start + 1)...].prefix { $0.hasPrefix("---@field ") }
    #expect(
      fields.map { $0.dropFirst(10).prefix { $0 != " " && $0 != "?" } }
        == record.fields.map { $0.name[...] })
  }

  /// What an error, an event, a change of a file and the counts have as fields in Lua.
  @Test func tablesHaveTheFieldsDescribed() throws {
    func keys(_ expression: String) throws -> Set<String> {
      Set(try Script.lines("for key in pairs(\(expression)) do print(key) end"))
    }
    #expect(try keys("rac.stats()") == Library.stats.keys)
    let samples: [(String, APIRecord)] = [
      ("rac.just(1):materialize():first()", Library.event),
      ("rac.error(1):materialize():first()", Library.event),
      (
        "select(2, pcall(function() rac.exec{'sh', '-c', 'echo no >&2; exit 3'}:wait() end))",
        Library.error
      ),
      ("select(2, pcall(function() rac.exec{'sh', '-c', 'kill -9 $$'}:wait() end))", Library.error),
      ("rac.tuple(1)", Library.tuple), ("rac.just(1):to_table()", Library.list),
    ]
    for (expression, record) in samples {
      let found = try keys(expression).subtracting(["1"])
      #expect(found.isSubset(of: record.keys) && !found.isEmpty, "\(expression): \(found)")
    }
  }

  @Test func everyEntryIsDocumented() {
    for module in [Library.root] + Library.modules {
      for function in module.functions {
        #expect(function.summary.hasSuffix("."), "\(function.name)")
      }
      for field in module.fields { #expect(field.summary.hasSuffix("."), "\(field.name)") }
    }
    for object in Library.objects {
      for method in object.methods { #expect(method.summary.hasSuffix("."), "\(method.name)") }
      for property in object.properties {
        #expect(property.summary.hasSuffix("."), "\(property.name)")
      }
    }
  }

  /// Every operator of the contract, under RAC's name in snake case.
  @Test func everyOperatorOfTheContractIsAMethod() throws {
    let names = """
      map map_replace filter ignore ignore_values flat_map flatten concat merge switch_to_latest scan
      combine_previous aggregate collect count reduce_each group_by buffer materialize dematerialize negate
      all_true any_true any all combine_latest zip start_with and_then sample when switch take_until
      take_until_replacement take take_last take_while skip skip_while skip_until
      distinct_until_changed throttle delay timeout catch catch_to retry repeated try try_map initially
      do_next do_error do_completed finally on_dispose log named deliver_on subscribe_on
      deliver_on_main first first_or_default last to_table to_array wait wait_until_completed publish multicast replay replay_last replay_lazily share
      subscribe bind aggregate_with
      """.split(whereSeparator: \.isWhitespace).map(String.init)
    #expect(Set(names) == Set(Library.signalObject.methods.map(\.name)))
  }
}
