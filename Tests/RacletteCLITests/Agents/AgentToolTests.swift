import Platform
import Testing

/// What the tools of agents do.
@Suite("raclette mcp: the tools", .timeLimit(.minutes(5)))
struct AgentToolTests {
  @Test("five tools take at most six kilobytes, and commands with mcp = true come behind them")
  func toolList() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "site:build", summary = "Build it", mcp = true, run = function() end,
          secrets = {"key"}, params = {
            {name = "target", required = true, choices = {"a", "b"}, help = "what"},
            {name = "jobs", type = "integer", default = 2}, {name = "fast", type = "boolean"},
            {name = "key", default = "hidden"}, {name = "words", rest = true}}}
        rac.command{name = "list", mcp = true, run = function() end}
        rac.command{name = "other", run = function() end}
        """#)
    let lists = await onThread {
      [AgentSession.Revision.previous, .current].map { revision -> String in
        let session = AgentSession(folder, revision)
        let meta =
          revision == .current
          ? #","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#
          : ""
        session.send(#"{"jsonrpc":"2.0","id":"l","method":"tools/list"\#(meta)}"#)
        let list = session.answer(to: #""l""#)
        #expect(session.leave().status == 0)
        return list
      }
    }
    let names = lists[0].matches(of: /\{"name":"([\w-]+)","description"/).map { String($0.1) }
    #expect(names == ["list", "run", "look", "cancel", "answer", "site_build", "list_2"])
    let own = lists[0].split(separator: #"{"name":"site_build""#).first ?? ""
    #expect(own.utf8.count < 6_000)
    // The revision before lists which tools may be called as tasks.
    let tasks = #","execution":{"taskSupport":"optional"}"#
    #expect(lists[0].ranges(of: tasks).count == 3)
    let plain = lists[0].replacing(tasks, with: "")
    #expect(
      plain.contains(
        #"{"name":"site_build","description":"Build it","inputSchema":{"type":"object","properties":{"target":{"type":"string","enum":["a","b"],"description":"what"},"jobs":{"type":"integer","default":2},"fast":{"type":"boolean"},"key":{"type":"string"},"words":{"type":"array","items":{"type":"string"}}},"required":["target"],"additionalProperties":false}}"#
      ), "\(lists[0])")
    #expect(lists[1].contains(#","resultType":"complete","ttlMs":0,"cacheScope":"private","#))
    #expect(
      lists[1].prefix(while: { $0 != "]" }) == plain.prefix(while: { $0 != "]" }))
  }

  @Test("list shows commands with their states, and one with its parameters")
  func list() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "build", summary = "Build it", params = {{name = "target", help = "what"}},
          run = "echo built"}
        rac.command{name = "deploy", confirm = "Really?", run = "echo",
          enabled = rac.just(rac.tuple(false, "nobody has approved it"))}
        rac.command{name = "_hidden", run = "echo"}
        """#)
    await onThread {
      let session = AgentSession(folder)
      #expect(
        session.call("list")
          == toolResult(
            "build [target]: Build it\ndeploy [not enabled: nobody has approved it]\n",
            #""count":2,"not_enabled":["deploy"]"#))
      #expect(
        session.call("list", #"{"filter":"BUILD"}"#)
          == toolResult("build [target]: Build it\n", #""count":1,"not_enabled":[]"#))
      #expect(
        session.call("list", #"{"filter":"nothing"}"#)
          == toolResult(
            "no command has 'nothing' in its name, group or summary\n",
            #""count":0,"not_enabled":[]"#))
      #expect(
        session.call("list", #"{"filter":"deploy"}"#)
          == toolResult(
            "deploy\n\nUsage: deploy\n\nAsks: Really?\n\nState: not enabled: nobody has approved it\n",
            #""name":"deploy","params":[],"enabled":false,"reason":"nobody has approved it","running":0,"limit":1,"queued":0"#
          ))
      #expect(session.leave().status == 0)
    }
  }

  @Test("run answers with the state, the number and the lines of an execution")
  func run() async {
    let folder = HubFolder(
      commands: #"""
        print("at the top")
        os.execute("echo of a child; echo error >&2")
        rac.command{name = "good", params = {{name = "who", default = "you"}}, mcp = true,
          run = function(input, emit) print("printed"); emit("hello " .. input.who) end}
        rac.command{name = "bad", run = "echo one; echo 'x.c:3: error: two' >&2; exit 3"}
        rac.command{name = "off", run = "echo",
          enabled = rac.just(rac.tuple(false, "nobody has approved it"))}
        """#)
    let outcome = await onThread {
      let session = AgentSession(folder)
      #expect(
        session.call("run", #"{"command":"good","input":{"who":"me"}}"#)
          == toolResult(
            "completed: good {\"who\":\"me\"} (TIME, #1)\n  printed\n  hello me\n",
            #""number":1,"command":"good","state":"completed","outputs":2"#))
      #expect(
        session.call("good", "{}")
          == toolResult(
            "completed: good {\"who\":\"you\"} (TIME, #2)\n  printed\n  hello you\n",
            #""number":2,"command":"good","state":"completed","outputs":2"#))
      let line = "'echo one; echo 'x.c:3: error: two' >&2; exit 3' exited with status 3"
      #expect(
        session.call("run", #"{"command":"bad"}"#)
          == toolResult(
            "failed: bad (exit status 3, TIME, #3): \(line)\n  one\n  x.c:3: error: two\n",
            #""number":3,"command":"bad","state":"failed","exit_status":3,"error":"\#(line)","outputs":2"#,
            isError: true))
      #expect(
        session.call("run", #"{"command":"off"}"#)
          == toolResult(
            "'off' is not enabled: nobody has approved it", #""error":"not_enabled""#,
            isError: true))
      #expect(
        session.call("run", #"{"command":"goood"}"#)
          == toolResult(
            "unknown command 'goood'; did you mean 'good'?; list shows them",
            #""error":"not_found""#, isError: true))
      #expect(
        session.call("run", #"{"command":"good","input":{"whom":"me"}}"#)
          == toolResult(
            "good: unknown parameter 'whom'; did you mean 'who'?", #""error":"input""#,
            isError: true))
      #expect(
        session.call("run", #"{"comand":"good"}"#)
          == toolResult(
            "run: unknown argument 'comand'; did you mean 'command'?", #""error":"arguments""#,
            isError: true))
      #expect(
        session.call("run", #"{"command":"good","wait":301}"#)
          == toolResult(
            "argument 'wait' must be a number from 0 to 300", #""error":"arguments""#,
            isError: true))
      #expect(
        session.call("run", #"{"command":7}"#)
          == toolResult(
            "run: argument 'command' must be of type string", #""error":"arguments""#,
            isError: true))
      #expect(
        session.call("run", "{}")
          == toolResult(
            "run: argument 'command' is missing", #""error":"arguments""#, isError: true))
      #expect(
        session.call("goood") == #""error":{"code":-32602,"message":"unknown tool 'goood'"}"#)
      return session.leave()
    }
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
    #expect(outcome.lines.allSatisfy { $0.hasPrefix(#"{"jsonrpc":"2.0","#) }, "\(outcome)")
  }

  @Test("a long output is answered in few lines with its first error, and look shows the rest")
  func longOutput() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "long", run = function(_, emit)
          for i = 1, 100000 do emit(i == 500 and "x.c:3: error: bad" or "line " .. i) end
          error("it is bad", 0)
        end}
        """#)
    await onThread {
      let session = AgentSession(folder)
      let answer = session.call("run", #"{"command":"long","wait":100}"#)
      #expect(answer.ranges(of: "\\n").count <= 60, "\(answer)")
      #expect(
        answer.hasPrefix(
          #""result":{"content":[{"type":"text","text":"failed: long (TIME, #1): it is bad\n  x.c:3: error: bad\n  line 501\n"#
        ), "\(answer)")
      #expect(answer.contains(#" lines left out: look {\"number\": 1, \"from\": 0}\n"#))
      #expect(answer.contains(#"  line 100000\n"#))
      #expect(
        session.call("look", #"{"number":1,"errors":true}"#).contains(
          #"\n499: x.c:3: error: bad\n""#))
      #expect(
        session.call("look", #"{"number":1,"from":99998}"#).contains(
          #": it is bad\n99998: line 99999\n99999: line 100000\n""#))
      #expect(
        session.call("look", #"{"number":1,"find":"LINE 4242","lines":3}"#).contains(
          #"\n4241: line 4242\n42419: line 42420\n42420: line 42421\n… more from output 42421 on\n""#
        ))
      #expect(
        session.call("look", #"{"number":1,"find":"nothing"}"#).contains(
          #"\nno such lines from output 0 on\n""#))
      #expect(
        session.call("look", #"{"number":2}"#)
          == toolResult(
            "there is no execution 2, or it is no longer kept", #""error":"not_found""#,
            isError: true))
      #expect(session.leave().status == 0)
    }
  }

  @Test("look reads on inside an output that has many lines")
  func longValue() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "text", run = function(_, emit)
          emit("before")
          local lines = {}
          for i = 1, 120 do lines[i] = "line " .. i end
          emit(table.concat(lines, "\n"))
          emit("behind")
        end}
        """#)
    await onThread {
      let session = AgentSession(folder)
      _ = session.call("run", #"{"command":"text","wait":100}"#)
      let fields = #""number":1,"command":"text","state":"completed","outputs":3,"#
      let head = "completed: text (TIME, #1)\n"
      let lines = { (range: ClosedRange<Int>) in range.map { "1: line \($0)\n" }.joined() }
      #expect(
        session.call("look", #"{"number":1,"from":0}"#)
          == toolResult(
            head + "0: before\n" + lines(1...49) + "… more from output 1, line 49 on\n",
            fields + #""next":1,"next_line":49"#))
      #expect(
        session.call("look", #"{"number":1,"from":1,"line":49}"#)
          == toolResult(
            head + lines(50...99) + "… more from output 1, line 99 on\n",
            fields + #""next":1,"next_line":99"#))
      #expect(
        session.call("look", #"{"number":1,"from":1,"line":99}"#)
          == toolResult(head + lines(100...120) + "2: behind\n", fields + #""next":3"#))
      #expect(
        session.call("look", #"{"number":1,"from":1,"line":9,"find":"LINE 1","lines":1}"#)
          == toolResult(
            head + "1: line 10\n… more from output 1, line 10 on\n",
            fields + #""next":1,"next_line":10"#))
      #expect(
        session.call("look", #"{"number":1,"from":2,"line":1}"#)
          == toolResult(head + "no such lines from output 2, line 1 on\n", fields + #""next":3"#))
      #expect(session.leave().status == 0)
    }
  }

  @Test("list answers in at most 60 lines")
  func longList() async {
    let folder = HubFolder(
      commands: "for i = 1, 70 do rac.command{name = 'c' .. i, run = 'echo'} end")
    await onThread {
      let session = AgentSession(folder)
      let names = (1...58).map { "c\($0)\n" }.joined()
      #expect(
        session.call("list")
          == toolResult(
            names + "… 12 more; a filter names fewer\n", #""count":70,"not_enabled":[]"#))
      #expect(session.leave().status == 0)
    }
  }

  private static let server = #"""
    rac.command{name = "serve", run = "echo up; sleep 1000 & trap 'echo ending; exit 0' TERM; read line <go; echo $line; wait"}
    """#

  @Test("run answers after its time with the number, look waits, and cancel ends it")
  func cancel() async {
    let folder = HubFolder(commands: Self.server)
    let pipe = folder.folder.makePipe("go")
    await onThread {
      let session = AgentSession(folder)
      let started = session.call("run", #"{"command":"serve","wait":0}"#)
      #expect(
        started.contains(#""structuredContent":{"number":1,"command":"serve","state":"running","#),
        "\(started)")
      #expect(started.hasSuffix(#""isError":false}"#))
      let list = session.call("list")
      #expect(
        list
          == toolResult(
            "serve [not enabled: it is executing; 1 running]\n",
            #""count":1,"not_enabled":["serve"]"#))
      // The end of its group is what the answer waits for.
      write("going\n", toPipe: pipe)
      eventually { session.call("look", #"{"number":1}"#).contains(#"\n  going\n"#) }
      let cancelled = session.call("cancel", #"{"number":1}"#)
      #expect(
        cancelled
          == toolResult(
            "cancelled: serve (TIME, #1)\n  up\n  going\n  ending\n",
            #""number":1,"command":"serve","state":"cancelled","outputs":3"#), "\(cancelled)")
      // Another time, it says the same.
      #expect(session.call("cancel", #"{"number":1}"#) == cancelled)
      #expect(
        session.call("look") == toolResult("cancelled: serve (TIME, #1)\n", #""running":0"#))
      #expect(session.leave().status == 0)
    }
  }

  @Test("the cancellation of a call ends its execution, and nothing more is sent")
  func cancelledCall() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "wait", run = "cat go >/dev/null; exec sleep 1000"}
        """#)
    let pipe = folder.folder.makePipe("go")
    await onThread {
      let session = AgentSession(folder)
      let id = session.begin("run", #"{"command":"wait","wait":300}"#)
      write("x", toPipe: pipe)
      let before = session.lines.count
      session.send(
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id),"reason":"x"}}"#
      )
      eventually {
        session.call("look", #"{"number":1}"#).contains(#""state":"cancelled""#)
      }
      #expect(!session.lines[before...].contains { $0.contains("\"id\":\(id),") })
      #expect(session.leave().status == 0)
    }
  }

  @Test("a call that is cancelled while the command file is loaded again executes nothing")
  func cancelledWhileLoading() async {
    let folder = HubFolder(commands: "rac.command{name = 'old', run = 'echo'}")
    await onThread {
      let session = AgentSession(folder)
      _ = session.call("list")
      folder.folder.write(
        "rac.command{name = 'wait', run = 'exec sleep 1000'} rac.command{name = 'new', run = 'echo'}",
        to: "commands.lua")
      let id = session.begin("run", #"{"command":"wait","wait":300}"#)
      session.send(
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#)
      // It comes behind both.
      #expect(session.call("run", #"{"command":"new"}"#).contains(#""state":"completed""#))
      eventually {
        session.call("look").hasSuffix(#""structuredContent":{"running":0},"isError":false}"#)
      }
      #expect(session.leave().status == 0)
    }
  }

  @Test("what is not detached ends with the session, and the server waits for nothing")
  func departure() async {
    let folder = HubFolder(
      commands: #"""
        for _, name in ipairs{"one", "two"} do
          rac.command{name = name, run = "echo $$ >" .. name .. ".pid; exec sleep 1000"}
        end
        """#)
    await onThread {
      let session = AgentSession(folder)
      _ = session.call("run", #"{"command":"one","wait":0}"#)
      _ = session.call("run", #"{"command":"two","wait":0,"detach":true}"#)
      let look = { (number: Int, session: AgentSession) in
        session.call("look", "{\"number\":\(number)}")
      }
      #expect(session.leave().status == 0)
      let other = AgentSession(folder)
      eventually { look(1, other).contains(#""state":"cancelled""#) }
      #expect(look(2, other).contains(#""state":"running""#))
      #expect(other.call("cancel", #"{"number":2}"#).contains(#""state":"cancelled""#))
      #expect(other.leave().status == 0)
    }
  }

  @Test("an execution outlives a server that is killed, and the next one reads its result")
  func killed() async {
    let folder = HubFolder(
      commands: #"rac.command{name = "wait", run = "echo one; cat go; echo three"}"#)
    let pipe = folder.folder.makePipe("go")
    await onThread {
      let session = AgentSession(folder)
      _ = session.call("run", #"{"command":"wait","wait":0}"#)
      kill(session.running.pid, SIGKILL)
      _ = session.running.finish()
      let other = AgentSession(folder, .current)
      #expect(other.call("look", #"{"number":1}"#).contains(#""state":"running""#))
      write("two\n", toPipe: pipe)
      #expect(
        other.call("look", #"{"number":1,"wait":100}"#)
          == toolResult(
            "completed: wait (TIME, #1)\n  one\n  two\n  three\n",
            #""number":1,"command":"wait","state":"completed","outputs":3"#))
      #expect(other.leave().status == 0)
    }
  }

  @Test("a hub that is killed is an answer, and the call is not made again")
  func killedHub() async {
    let folder = HubFolder(
      commands: #"rac.command{name = "wait", run = "echo x >>runs; cat go; exec sleep 1000"}"#)
    let pipe = folder.folder.makePipe("go")
    await onThread {
      let session = AgentSession(folder)
      let id = session.begin("run", #"{"command":"wait","wait":300}"#)
      write("x", toPipe: pipe)
      _ = session.call("list")
      kill(folder.process, SIGKILL)
      let answer = session.answer(to: id)
      #expect(answer.contains("has ended"), "\(answer)")
      #expect(answer.hasSuffix(#""structuredContent":{"error":"hub"},"isError":true}"#))
      #expect(
        session.call("look")
          == toolResult(
            "failed: wait (#1): it was lost with the hub that was killed\n", #""running":0"#))
      #expect(fileContent(folder.path + "/runs") == Array("x\n".utf8))
      #expect(session.leave().status == 0)
    }
  }

  @Test("a command that is not enabled is waited for if asked")
  func whenEnabled() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "ship", run = "echo shipped", enabled = rac.file_exists("go")}
        """#)
    await onThread {
      let session = AgentSession(folder)
      let late = session.call("run", #"{"command":"ship","when_enabled":true,"wait":0.1}"#)
      #expect(
        late
          == toolResult(
            "'ship' is not enabled: its condition is false", #""error":"not_enabled""#,
            isError: true),
        "\(late)")
      let id = session.begin("run", #"{"command":"ship","when_enabled":true,"wait":300}"#)
      _ = session.call("list")
      folder.folder.write("", to: "go")
      #expect(
        session.answer(to: id)
          == toolResult(
            "completed: ship (TIME, #1)\n  shipped\n",
            #""number":1,"command":"ship","state":"completed","outputs":1"#))
      #expect(session.leave().status == 0)
    }
  }

  @Test("a command file that does not load is the answer to each call")
  func broken() async {
    let folder = HubFolder(commands: "rac.command{")
    await onThread {
      let session = AgentSession(folder)
      let answer = session.call("list")
      #expect(answer.contains("commands.lua:1: unexpected symbol near <eof>"), "\(answer)")
      #expect(answer.hasSuffix(#""structuredContent":{"error":"hub"},"isError":true}"#))
      folder.folder.write("rac.command{name = 'a', run = 'echo'}", to: "commands.lua")
      #expect(session.call("list") == toolResult("a\n", #""count":1,"not_enabled":[]"#))
      #expect(session.leave().status == 0)
    }
  }

  @Test("a changed list is reported in the way of each revision")
  func listChanged() async {
    let folder = HubFolder(commands: "rac.command{name = 'a', run = 'echo'}")
    await onThread {
      let previous = AgentSession(folder)
      let current = AgentSession(folder, .current)
      current.send(
        #"{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#
      )
      _ = previous.call("list")
      _ = current.call("list")
      #expect(
        current.lines.first
          == #"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#
      )
      folder.folder.write("rac.command{name = 'b', mcp = true, run = 'echo'}", to: "commands.lua")
      previous.running.waitForOutput(
        #"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"# + "\n")
      current.running.waitForOutput(
        #"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#
          + "\n")
      #expect(previous.leave().status == 0)
      #expect(current.leave().status == 0)
    }
  }
}
