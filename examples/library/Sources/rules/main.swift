import EventLoop
import LuaRuntime
import Reactive
import Scripting

// A program whose prices are decided by rules in Lua, which may compute and nothing else.

let rules = """
  rac.command {
    name = "price",
    params = {{name = "count", type = "integer"}, {name = "customer", default = "new"}},
    run = function(input, emit)
      local price = 3 * input.count
      if input.customer == "old" then emit("a tenth less for old customers"); price = price * 0.9 end
      return ("%d pieces cost %.2f"):format(input.count, price)
    end,
  }
  """

struct NoSuchRule: Error {}

/// Prints what the rules log, and the failures that they leave unhandled.
final class Messages: HostObserver {
  func hostLogged(_ level: LogLevel, _ text: String) { print("\(level): \(text)") }

  func hostLeftUnhandled(_ failure: Failure) -> Bool {
    print("failed: \(failure.message)")
    return true
  }
}

let loop = try EventLoop()
Scheduler.main.use(loop)
let policy = HostPolicy(
  // Nobody is there to ask.
  confirmation: { call throws(Failure) in throw Failure(.input, "nobody can confirm this") },
  conditions: .assumed, upToDate: .ignored,
  limits: HostPolicy.Limits(memory: nil, time: nil, sandbox: Sandbox()), mistakes: .fail,
  takesLateOutput: { false }, isEndRequested: { false })
let host = try ScriptHost(loop: loop, script: "rules", policy: policy, observers: [Messages()])
do {
  defer { host.close() }
  let loading = try host.start(.code(rules, name: "rules"))
  loop.run()
  if let problem = loading.error { throw problem }
  guard let price = host.command(named: "price") else { throw NoSuchRule() }

  for words in [["7"], ["7", "old"], ["many"]] {
    do {
      let execution = price.execute(try price.input(from: words))
      execution.subscribe(
        next: { print(host.describe($0)) },
        error: { print("failed: \(host.failure(of: $0).message)") })
      loop.run()
    } catch {
      print("refused: \(error)")
    }
  }
}
loop.close()
