import Platform
import Testing

/// Cancels at random moments, in whatever state an execution is.
@Suite("raclette mcp: random cancels", .timeLimit(.minutes(20)))
struct AgentCancelTests {
  private static let commands = #"""
    local rac = require "rac"
    rac.command{name = "run", concurrency = "unlimited", run = "echo up; exec sleep 1000"}
    rac.command{name = "children", concurrency = "unlimited",
      run = "sleep 1000 & sleep 1000 & echo $$; wait"}
    rac.command{name = "queued", concurrency = 1, when_busy = "queue", run = "exec sleep 1000"}
    rac.command{name = "needing", concurrency = "unlimited", needs = {"needed"}, run = "true"}
    rac.command{name = "needed", concurrency = "unlimited", run = "exec sleep 1000"}
    rac.command{name = "asking", concurrency = "unlimited", confirm = "Sure?", run = "exec sleep 1000"}
    rac.command{name = "prompt", concurrency = "unlimited", stdin = true,
      run = "printf 'name? '; read -r x; echo $x"}
    rac.command{name = "loop", concurrency = "unlimited", run = function(_, emit)
      while true do emit("turn"); rac.sleep(0.01) end
    end}
    rac.command{name = "ended", concurrency = "unlimited", run = "echo done"}
    """#
  private static let cancels = getenv("RACLETTE_LONG") == nil ? 100 : 1_000

  @Test("leave no process, and nothing that the hub would hold")
  func random() async {
    let folder = HubFolder(commands: Self.commands)
    for seed in 1...Self.cancels / 100 {
      await onThread { CancelRound(folder, seed: UInt64(seed)).cancel(100) }
    }
    await onThread {
      folder.waitForEndOfHub()
      #expect(processes(in: folder.path) == [])
    }
  }

  @Test("reach the hub however many are sent at once")
  func crowd() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder, .current)
      for _ in 1...20 { _ = session.call("run", #"{"command":"run","wait":0}"#) }
      let calls = (0..<400).map { session.begin("cancel", #"{"number":\#($0 % 20 + 1)}"#) }
      for call in calls {
        let answer = session.answer(to: call)
        #expect(answer.contains(#""state":"cancelled""#), "\(answer)")
      }
      #expect(session.leave().status == 0)
    }
  }
}

/// One session whose executions are cancelled at random moments.
private final class CancelRound {
  private static let names = [
    "run", "children", "queued", "needing", "asking", "prompt", "loop", "ended",
  ]
  private let session: AgentSession
  private let folder: HubFolder
  private var seed: UInt64
  /// The executions that nobody has cancelled, the others, and the cancels without an answer yet.
  private var live: [Int] = []
  private var cancelled: [Int] = []
  private var open: [(call: String, number: Int)] = []

  init(_ folder: HubFolder, seed: UInt64) {
    self.folder = folder
    self.seed = seed
    session = AgentSession(folder, .current)
  }

  private func choose(_ count: Int) -> Int {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(seed >> 33) % count
  }

  func cancel(_ count: Int) {
    for _ in 0..<10 { start() }
    for _ in 0..<count {
      start()
      if choose(5) == 0, let last = cancelled.dropLast(choose(50)).last {
        cancel(number: last)
      } else {
        // Often the one that has just begun.
        let index = choose(3) == 0 ? live.count - 1 : choose(live.count)
        cancelled.append(live[index])
        cancel(number: live.remove(at: index))
      }
      if open.count > choose(12) { readAnswer() }
    }
    for number in live { cancel(number: number) }
    while !open.isEmpty { readAnswer() }
    #expect(session.call("look").contains(#""structuredContent":{"running":0}"#))
    let left = processes(in: folder.path).compactMap { pid_t($0) }
    #expect(Set(left) == [folder.process, session.running.pid])
    #expect(session.leave().status == 0)
  }

  private func start() {
    let name = Self.names[choose(Self.names.count)]
    var answer = session.call("run", #"{"command":"\#(name)","wait":0}"#)
    if name == "asking" {
      let question = answer.firstMatch(of: /"question":(\d+)/).map { String($0.output.1) } ?? ""
      answer = session.call("answer", #"{"question":\#(question),"confirm":true,"wait":0}"#)
    }
    let number = answer.firstMatch(of: /"structuredContent":\{"number":(\d+),/)
    guard let number = number.flatMap({ Int($0.output.1) }) else {
      Issue.record("\(name): \(answer)")
      return
    }
    live.append(number)
  }

  private func cancel(number: Int) {
    open.append((session.begin("cancel", #"{"number":\#(number)}"#), number))
  }

  private func readAnswer() {
    let (call, number) = open.removeFirst()
    let answer = session.answer(to: call)
    let state = answer.firstMatch(of: /"state":"(\w+)"/).map { String($0.output.1) } ?? answer
    #expect(["cancelled", "completed", "failed"].contains(state), "#\(number): \(answer)")
  }
}

/// The processes that work in a folder.
private func processes(in folder: String) -> [String] {
  Folder.names(in: "/proc").filter { name in
    guard Int(name) != nil else { return false }
    var path = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/\(name)/cwd", &path, path.count)
    return length > 0
      && String(decoding: path[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) == folder
  }.sorted()
}
