import EventLoop
import LuaRuntime
import Testing

@testable import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The table of the API, what scripts find, and the stubs say the same.
@Suite("The library") struct LibraryTests {
  /// Every name that scripts can reach: `rac.just`, `rac.log.info`, `signal:map`, `command.name`.
  private var described: Set<String> {
    var names: Set<String> = []
    for module in [Library.root] + Library.modules {
      names.formUnion(module.functions.map { "\(module.path).\($0.name)" })
      names.formUnion(module.fields.map { "\(module.path).\($0.name)" })
    }
    names.formUnion(Library.modules.map(\.path))
    for object in Library.objects {
      names.formUnion(object.methods.map { "\(object.kind.rawValue):\($0.name)" })
      names.formUnion(object.properties.map { "\(object.kind.rawValue).\($0.name)" })
    }
    return names
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
    #expect(Set(lines) == described.filter { $0.hasPrefix("rac.") })
    #expect(lines.count == Set(lines).count)
  }

  @Test func objectsHaveTheMembersDescribed() throws {
    let samples: [ObjectKind: String] = [
      .signal: "rac.empty()", .subject: "rac.subject()", .disposable: "rac.empty():subscribe()",
      .command: "rac.command(rac.just)", .execution: "rac.command(rac.empty):execute()",
      .group: "rac.just(1):group_by(function() return 1 end):first()",
      .connection: "rac.empty():publish()", .scheduler: "rac.scheduler.main",
      .subscriber:
        "(function() local s; rac.create(function(x) s = x end):subscribe():dispose() return s end)()",
    ]
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
    let stubs = Library.stubs()
    for line in stubs.split(separator: "\n") {
      if line.hasPrefix("---@class raclette") {
        let name = line.dropFirst("---@class raclette".count).prefix { $0 != " " }.dropFirst()
        current = name.isEmpty ? "rac" : String(name)
        if current.hasPrefix("module.") {
          current = "rac.\(current.dropFirst(7))"
          names.insert(current)
        }
      } else if line.hasPrefix("---@field ") {
        let name = line.dropFirst("---@field ".count).prefix { $0 != " " }
        names.insert("\(current).\(name)")
      } else if line.hasPrefix("function ") {
        let name = line.dropFirst("function ".count).prefix { $0 != "(" }
        let last = name.split(whereSeparator: { $0 == "." || $0 == ":" }).last ?? ""
        names.insert("\(current)\(name.contains(":") ? ":" : ".")\(last)")
      }
    }
    #expect(names == described)
  }

  @Test func theStubsAreLua() throws {
    let interpreter = try LuaInterpreter()
    defer { interpreter.close() }
    _ = try interpreter.load(Library.stubs(), chunkName: "=stubs")
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
      combine_previous aggregate collect reduce_each group_by buffer materialize dematerialize negate
      all_true any_true any all combine_latest zip start_with and_then sample when switch take_until
      take_until_replacement take take_last take_while skip skip_while skip_until
      distinct_until_changed throttle delay timeout catch catch_to retry repeated try try_map initially
      do_next do_error do_completed finally on_dispose log named deliver_on subscribe_on
      deliver_on_main first last to_table wait publish multicast replay replay_last replay_lazily share
      subscribe
      """.split(whereSeparator: \.isWhitespace).map(String.init)
    #expect(Set(names) == Set(Library.signalObject.methods.map(\.name)))
  }
}
