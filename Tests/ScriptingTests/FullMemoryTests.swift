import LuaRuntime
import Testing

@testable import Scripting

/// Every function of the library meets the memory limit at some point of its work.
@Suite("The memory limit inside the library", .timeLimit(.minutes(5))) struct FullMemoryTests {
  /// Room that is left when a function is called, from none to enough.
  private static let rooms = [0, 40, 100, 200, 400, 800, 1_600, 5_000, 50_000]
  /// They would start programs or look at the real world.
  private static let leftOut: Set = ["exec", "sh", "watch", "stdin", "test_scheduler"]

  private func expectAnswers(_ calls: [(name: String, code: String)]) throws {
    let script = try Script()
    defer { script.finish() }
    let interpreter = script.host.interpreter
    for (name, code) in calls {
      // Compiled and called once before, so that only the work itself is left.
      let function = try interpreter.load(code, chunkName: "=test")
      _ = try? interpreter.call(function)
      for room in Self.rooms {
        interpreter.memoryLimit = interpreter.memoryInUse + room
        do { try interpreter.call(function) } catch {
          let isAnswer = error.isMemoryLimit || error.kind == .runtime
          #expect(isAnswer, "\(name) with \(room) bytes: \(error)")
        }
        interpreter.memoryLimit = nil
      }
      try interpreter.call(interpreter.load("collectgarbage()", chunkName: "=test"))
    }
    script.loop.poll()
    #expect(script.run("print(rac.range(1, 3):to_table().n)").output.last == "3")
    #expect(interpreter.isOpen)
  }

  @Test func isAnsweredByEveryFunction() throws {
    try expectAnswers(
      Library.functions.filter { !Self.leftOut.contains($0.name) && !$0.waits }.map {
        let arguments = SampleArguments(function: $0).texts.joined(separator: ", ")
        return ($0.name, "return rac.\($0.name)(\(arguments))")
      })
  }

  @Test func isAnsweredByEveryOperatorAndTheSignalItMakes() throws {
    try expectAnswers(
      // `repeated` would never return.
      Library.signalObject.methods.filter { !$0.waits && $0.name != "repeated" }.map {
        let arguments = SampleArguments(function: $0).texts.joined(separator: ", ")
        return (
          $0.name,
          """
          local signal = rac.from{rac.tuple(1, 2), "x"}:\($0.name)(\(arguments))
          if rac.is_signal(signal) then signal:subscribe(function() end, function() end):dispose() end
          """
        )
      })
  }
}
