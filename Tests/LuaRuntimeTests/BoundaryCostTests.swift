import CLuaShims
import LuaRuntime
import Platform
import Testing

/// Prints what crossing the boundary costs beside the floor that Lua sets. Reports only; run with
/// `RACLETTE_MEASURE=1 swift test -c release --filter BoundaryCostTests`.
@Suite(.enabled(if: getenv("RACLETTE_MEASURE") != nil), .serialized) struct BoundaryCostTests {
  private static let rounds = 5_000_000

  private func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<5 {
      let time = try ContinuousClock().measure(body)
      best = min(
        best,
        Double(time.components.attoseconds) / 1e9 / Double(Self.rounds)
          + Double(time.components.seconds) * 1e9 / Double(Self.rounds))
    }
    return best
  }

  @Test func aCallFromLuaWithOneInteger() throws {
    let lua = try LuaInterpreter()
    lua.define("host") { call in
      call.stack.push(try call.integer(at: 1))
      return .results(1)
    }
    let loop = "local f = ... for i = 1, \(Self.rounds) do f(i) end"
    let empty = try lua.load("local f = ... for i = 1, \(Self.rounds) do end", chunkName: "=t")
    let calls = try lua.load(loop, chunkName: "=t")
    let base = try nanoseconds { try lua.call(empty) }
    let c = try nanoseconds { try lua.call(calls, eval(lua, "return math.abs")) } - base
    let swift = try nanoseconds { try lua.call(calls, lua.global("host")) } - base
    print("Lua → C \(c) ns, Lua → Swift \(swift) ns, ratio \(swift / c)")
  }

  @Test func aCallIntoLua() throws {
    let lua = try LuaInterpreter()
    let function = try lua.load("return function(x) return x end", chunkName: "=t")
    let identity = try #require(try lua.call(function).first)
    let times = try #require(
      try lua.withStack { stack throws(LuaError) -> (Double, Double, Double) in
        let state = stack.state
        stack.push(identity)
        let index = stack.top
        let bare = nanoseconds {
          for i in 0..<Self.rounds {
            lua_pushvalue(state, Int32(index))
            lua_pushinteger(state, Int64(i))
            _ = lua_pcallk(state, 1, 1, 0, 0, nil)
            _ = lua_tointegerx(state, -1, nil)
            lua_settop(state, -2)
          }
        }
        var result: Result<Double, LuaError> = .success(0)
        result = .success(
          nanoseconds {
            for i in 0..<Self.rounds {
              stack.beginCall()
              stack.copy(from: index)
              stack.push(i)
              do throws(LuaError) {
                try stack.call(arguments: 1, results: 1)
              } catch {
                result = .failure(error)
              }
              _ = stack.integer(at: -1)
              stack.pop(2)
            }
          })
        let values = nanoseconds {
          for i in 0..<Self.rounds { _ = try? lua.call(identity, [.integer(Int64(i))]) }
        }
        return (bare, try result.get(), values)
      })
    print("lua_pcall \(times.0) ns, call \(times.1) ns, call with values \(times.2) ns")
  }
}
