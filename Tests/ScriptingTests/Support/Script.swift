import Commands
import EventLoop
import LuaRuntime

@testable import Scripting

/// What a script did.
struct ScriptResult {
  /// What it printed, a line each.
  var output: [String] = []
  /// What its top level failed with.
  var failure: Failure?
  /// The messages of the errors that nobody handled.
  var unhandled: [String] = []
  /// What it logged, as `level: text`.
  var logs: [String] = []
  /// Whether it waited for something that nothing could send.
  var isStuck = false
}

/// One interpreter on a loop of the calling thread.
final class Script: HostObserver, @unchecked Sendable {
  // Unchecked: a test runs it on its own thread.
  let loop: EventLoop
  let host: ScriptHost
  private(set) var result = ScriptResult()

  init(
    arguments: [String] = [], memoryLimit: Int? = nil, timeLimit: Duration? = nil,
    sandbox: Sandbox? = nil
  ) throws {
    loop = try EventLoop()
    host = try ScriptHost(
      loop: loop, script: "test.lua", arguments: arguments,
      policy: Self.policy(
        HostPolicy.Limits(memory: memoryLimit, time: timeLimit, sandbox: sandbox)),
      observers: [])
    host.add(self)
    define("print") { [unowned self] call in
      let parts = (1...max(call.count, 1)).filter { $0 <= call.count }.map { index in
        (try? call.stack.describe(at: index)) ?? "?"
      }
      result.output.append(parts.joined(separator: "\t"))
      return .none
    }
  }

  /// The policy of a host that permits everything.
  static var permissive: HostPolicy {
    policy(HostPolicy.Limits(memory: nil, time: nil, sandbox: nil))
  }

  private static func policy(_ limits: HostPolicy.Limits) -> HostPolicy {
    HostPolicy(
      confirmation: { _ in }, conditions: .assumed, upToDate: .ignored, limits: limits,
      mistakes: .fail, takesLateOutput: { true }, isEndRequested: { false })
  }

  /// Adds a line to what it has printed.
  func print(_ line: String) { result.output.append(line) }

  func define(_ name: String, _ body: @escaping LuaFunctionBody) {
    host.interpreter.setGlobal(name, host.value { $0.pushFunction(body) })
  }

  /// Defines a function `stop` that interrupts the script from within.
  func defineStop() {
    define("stop") { call in
      call.interpreter.interrupt()
      return .none
    }
  }

  /// Runs a top level and everything that it starts to the end.
  @discardableResult
  func run(_ code: String) -> ScriptResult {
    do {
      let execution = try host.start(.code(code, name: "test"))
      var isOver = false
      let end = End()
      execution.subscribe(error: { end.failure = $0 }, completed: { end.isOver = true })
      while !isOver && loop.isAlive {
        loop.runOnce()
        isOver = end.isOver || end.failure != nil
      }
      result.failure = end.failure.map { host.failure(of: $0) }
      result.isStuck = !isOver
      while host.hasWork && loop.isAlive { loop.runOnce() }
      // What was reported a turn later.
      loop.poll()
      loop.poll()
    } catch {
      result.failure = host.failure(of: error)
    }
    return result
  }

  private final class End: @unchecked Sendable {
    var isOver = false
    var failure: (any Error)?
  }

  func hostLeftUnhandled(_ failure: Failure) -> Bool {
    result.unhandled.append(failure.message)
    return true
  }

  func hostLogged(_ level: LogLevel, _ text: String) { result.logs.append("\(level): \(text)") }

  /// Ends everything and closes the interpreter.
  func finish() {
    host.reportUnreceivedErrors()
    host.cancelAll()
    host.disposeAll()
    loop.run()
    host.close()
    loop.close()
  }

  /// Runs a script and collects what it has left behind.
  func runAndCollect(_ code: String) {
    run(code)
    collect()
  }

  /// Two full collections, with what their finalisers set going.
  func collect() {
    for _ in 0..<2 {
      host.interpreter.collectGarbage()
      while loop.isAlive && !host.hasWork {
        loop.poll()
        if !host.hasWork { break }
      }
      loop.poll()
    }
    host.interpreter.collectGarbage()
  }

  /// Runs a script in an interpreter of its own.
  static func run(_ code: String, arguments: [String] = []) throws -> ScriptResult {
    let script = try Script(arguments: arguments)
    defer { script.finish() }
    return script.run(code)
  }

  /// What a script prints, with every failure as a line too.
  static func lines(_ code: String, arguments: [String] = []) throws -> [String] {
    let result = try run(code, arguments: arguments)
    return result.output + (result.failure.map { ["failed: \($0.message)"] } ?? [])
      + result.unhandled.map { "unhandled: \($0)" } + (result.isStuck ? ["stuck"] : [])
  }
}
