import Platform
import Testing

/// Services that restart between the executions that use them.
@Suite(
  "executions that have not begun wait for a service that is started again",
  .timeLimit(.minutes(5)))
struct AwaitedServiceTests {
  private static let commands = #"""
    rac.command{name = "model", service = true, ready = {path = "up"}, on_lost = "wait",
      restart = {policy = "on-failure", delay = 0.01},
      run = "rm -f up; echo $$ >pid; until [ -e go ]; do sleep 0.01; done; touch up; exec sleep 600"}
    local function use(name, id, needs)
      local line = "if [ -e up ]; then echo begun " .. id .. "; else echo no model; fi; "
        .. "until [ -e done-" .. id .. " ]; do sleep 0.01; done; echo ended " .. id
      rac.command{name = name, needs = needs, params = {{name = "id", default = id}},
        when_busy = "queue", run = line}
    end
    use("predict", "$id", "model")
    use("first", "1", "model")
    use("second", "2", {"model", "first"})
    rac.command{name = "lua", run = function() return rac.commands.second:execute() end}
    """#

  /// How the service is lost.
  enum Way: CaseIterable {
    case kill, restart, killOfHub

    func lose(_ folder: HubFolder, _ user: Running) {
      switch self {
      case .kill:
        Platform.kill(HubFolder.process(in: folder.folder["pid"]) ?? .max, SIGKILL)
        user.waitForErrors("model is restarting: ")
      case .restart:
        let restart = Launch(
          arguments: ["restart", "model"], folder: folder.path, environment: folder.environment)
        let running = Running(restart)
        user.waitForErrors("raclette: model is restarting\n")
        running.get(signal: SIGKILL)
      case .killOfHub:
        Platform.kill(folder.process, SIGKILL)
        user.waitForErrors("model is restarting: its hub was killed")
      }
    }
  }

  private static let words = [
    ["predict", "1", "::", "predict", "2"], ["predict", "1", ":::", "predict", "2"], ["second"],
    ["lua"], ["batch", "--progress", "never", "--jobs", "1", "predict.jsonl"],
    ["batch", "--progress", "never", "--jobs", "2", "predict.jsonl"],
  ]

  private static func folder() -> HubFolder {
    let folder = HubFolder(commands: commands)
    folder.folder.write("", to: "go")
    folder.folder.write(
      """
      {"command": "predict", "input": {"id": "1"}}
      {"command": "predict", "input": {"id": "2"}}

      """, to: "predict.jsonl")
    return folder
  }

  /// Loses the service while the first of two executions runs, and lets that end.
  private static func lose(_ way: Way, _ folder: HubFolder, _ words: [String]) -> Running {
    let user = Running(
      Launch(arguments: words, folder: folder.path, environment: folder.environment))
    user.waitForOutput("begun 1\n")
    folder.folder.remove("go")
    // That of the lost run is not to be taken for one of the next.
    folder.folder.remove("up")
    way.lose(folder, user)
    folder.folder.write("", to: "done-1")
    user.waitForOutput("ended 1\n")
    user.waitForErrors("waits: 'model' is not ready\n")
    return user
  }

  @Test("and begin once it is ready", arguments: Way.allCases, words)
  func begun(_ way: Way, _ words: [String]) async {
    let folder = Self.folder()
    let run = await onThread {
      let user = Self.lose(way, folder, words)
      folder.folder.write("", to: "go")
      user.waitForOutput("begun 2\n")
      folder.folder.write("", to: "done-2")
      return user.finish()
    }
    #expect(run.output == "begun 1\nended 1\nbegun 2\nended 2\n", "\(run)")
    #expect(run.status == 0, "\(run)")
  }

  @Test("and those of the same command whose services are ready pass them")
  func passed() async {
    let folder = Self.folder()
    folder.folder.write(
      Self.commands + #"""

        rac.command{name = "steady", service = true, ready = {line = "up"},
          run = "until [ -e go-steady ]; do sleep 0.01; done; echo up; exec sleep 600"}
        rac.command{name = "ask", params = {{name = "model"}, {name = "id"}}, when_busy = "queue",
          needs = function(input) return {input.model} end,
          run = "echo begun $id; until [ -e done-$id ]; do sleep 0.01; done"}
        """#, to: "commands.lua")
    let run = await onThread {
      let user = Running(
        folder.launch("ask", "model", "1", ":::", "ask", "model", "2", ":::", "ask", "steady", "3"))
      user.waitForOutput("begun 1\n")
      folder.folder.remove("go")
      folder.folder.remove("up")
      Way.kill.lose(folder, user)
      for name in ["go-steady", "done-1"] { folder.folder.write("", to: name) }
      user.waitForOutput("begun 3\n")
      for name in ["go", "done-2", "done-3"] { folder.folder.write("", to: name) }
      return user.finish()
    }
    #expect(run.output == "begun 1\nbegun 3\nbegun 2\n", "\(run)")
    #expect(run.status == 0, "\(run)")
  }

  @Test("are cancelled while they wait", arguments: words)
  func cancelled(_ words: [String]) async {
    let folder = Self.folder()
    let run = await onThread {
      let user = Self.lose(.kill, folder, words)
      user.get(signal: SIGINT)
      return user.finish()
    }
    #expect(run.output == "begun 1\nended 1\n", "\(run)")
    #expect(run.status == 130, "\(run)")
  }

  @Test("fail when it ends for good", arguments: words)
  func lost(_ words: [String]) async {
    let folder = Self.folder()
    let run = await onThread {
      let user = Self.lose(.kill, folder, words)
      let down = Running(
        Launch(
          arguments: ["down", "model"], folder: folder.path, environment: folder.environment))
      _ = down.finish()
      return user.finish()
    }
    #expect(run.output == "begun 1\nended 1\n", "\(run)")
    #expect(run.status != 0, "\(run)")
    #expect(
      run.errors.contains(
        "'model' failed: the service has ended while it was used: 'raclette down' has ended it"),
      "\(run)")
  }
}
