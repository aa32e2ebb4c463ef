import Commands
import EventLoop
import LuaRuntime
import Testing

@testable import Scripting

@Suite("A host")
struct HostTests {
  /// An observer that notes what it receives.
  private final class Notes: HostObserver, ExecutionObserver, StartObserver {
    var lines: [String] = []
    let takes: Bool

    init(takes: Bool = true) { self.takes = takes }

    func hostWroteErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) -> Bool {
      lines.append("errors \(String(decoding: bytes, as: UTF8.self).dropLast())")
      return takes
    }

    func hostCapturedErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) {
      lines.append("captured \(String(decoding: bytes, as: UTF8.self).dropLast())")
    }

    func hostBeganGroup(_ leader: Int32, of execution: Int?) { lines.append("began") }
    func hostEndedGroup(_ leader: Int32) { lines.append("ended") }
    func hostLogged(_ level: LogLevel, _ text: String) { lines.append("\(level) \(text)") }

    func hostLeftUnhandled(_ failure: Failure) -> Bool {
      lines.append("unhandled \(failure.message)")
      return takes
    }

    func hostExecutes(
      _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand, within origin: Int
    ) -> Bool {
      lines.append("executes \(command.name)")
      return takes
    }

    func hostStarts(_ text: String, for command: String?) { lines.append("starts \(text)") }
  }

  private func notes(_ observers: [Notes], _ code: String) throws {
    let script = try Script()
    for notes in observers {
      script.host.add(notes)
      script.host.add(ofExecutions: notes)
      script.host.add(ofStarts: notes)
    }
    script.run(code)
    script.finish()
  }

  @Test("reports to all observers, and what is for one to the last that takes it")
  func order() throws {
    let (first, second, third) = (Notes(), Notes(), Notes(takes: false))
    try notes(
      [first, second, third],
      """
      rac.log.warn("logged")
      rac.sh("echo wrong >&2"):wait()
      rac.error("lost"):subscribe()
      """)
    let common = [
      "warn logged", "starts echo wrong >&2", "began", "ended",
    ]
    #expect(first.lines == common)
    #expect(second.lines.sorted() == (common + ["errors wrong", "unhandled lost"]).sorted())
    #expect(third.lines == second.lines)
  }

  @Test("leaves the failures of executions to an observer that handles them")
  func executions() throws {
    for (takes, unhandled) in [(true, []), (false, ["unhandled no"])] {
      let notes = Notes(takes: takes)
      try self.notes(
        [notes],
        """
        rac.command{name = "bad", run = function() error("no", 0) end}:execute()
        rac.sleep(0.01)
        """)
      #expect(notes.lines == ["executes bad"] + unhandled)
    }
  }

  @Test("asks its policy before a command that wants a confirmation is executed")
  func confirmation() throws {
    let loop = try EventLoop()
    var asked: [String] = []
    let policy = HostPolicy(
      confirmation: { call throws(Failure) in
        asked.append(call.command.name)
        if call.input.stringValue?.description == "no" { throw Failure(.user, "not confirmed") }
      }, conditions: .assumed, upToDate: .ignored,
      limits: HostPolicy.Limits(memory: nil, time: nil, sandbox: nil), mistakes: .fail,
      takesLateOutput: { false }, isEndRequested: { false })
    let notes = Notes()
    let host = try ScriptHost(loop: loop, policy: policy, observers: [notes])
    let execution = try host.start(
      .code(
        """
        rac.command{name = "plain", run = function() rac.log.info("plain") end}:execute():wait()
        local drop = rac.command{name = "drop", confirm = "Really?",
          run = function() rac.log.info("dropped") end}
        drop:execute("yes"):wait()
        drop:execute("no"):wait()
        """, name: "test"))
    loop.run()
    #expect(asked == ["drop", "drop"])
    #expect(notes.lines == ["info plain", "info dropped"])
    #expect(execution.error.map { host.failure(of: $0).message } == "not confirmed")
    host.close()
    loop.close()
  }

  @Test("keeps its observers until it is closed")
  func lifetime() throws {
    let loop = try EventLoop()
    weak var weakly: Notes?
    let host: ScriptHost
    do {
      let notes = Notes()
      weakly = notes
      host = try ScriptHost(loop: loop, policy: Script.permissive, observers: [notes])
    }
    #expect(weakly != nil)
    host.close()
    #expect(weakly == nil)
    loop.close()
  }
}
