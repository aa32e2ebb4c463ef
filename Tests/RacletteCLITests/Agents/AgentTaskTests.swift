import Platform
import Testing

/// Executions as tasks of the Model Context Protocol, in both of its forms.
@Suite("raclette mcp: tasks", .timeLimit(.minutes(5)))
struct AgentTaskTests {
  private static let commands = #"""
    rac.command{name = "hello", mcp = true, params = {{name = "who", default = "you"}},
      run = "echo hello $who"}
    rac.command{name = "bad", run = "echo 'error: bad'; exit 3"}
    rac.command{name = "off", run = "echo", enabled = rac.just(rac.tuple(false, "not yet"))}
    rac.command{name = "deploy", confirm = "Deploy?", run = "echo deployed"}
    rac.command{name = "wait", run = "echo up; exec sleep 1000"}
    rac.command{name = "ask", stdin = true,
      run = "printf 'name? '; read -r x; echo hello $x; printf 'age? '; read -r x; echo $x"}
    """#

  /// An answer about a task, with `ID` for what cannot be guessed and `NOW` for times.
  private func plain(_ answer: String) -> String {
    answer.replacing(/"([0-9]+)-[A-Za-z0-9_-]{16}"/) { "\"\($0.output.1)-ID\"" }
      .replacing(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/, with: "NOW")
  }

  private func id(_ answer: String) -> String {
    answer.firstMatch(of: /"taskId":"([^"]*)"/).map { String($0.output.1) } ?? ""
  }

  /// The fields of a task as the current revision has them.
  private func task(_ number: Int, _ status: String, _ text: String, _ more: String = "") -> String
  {
    #""result":{"taskId":"\#(number)-ID","status":"\#(status)","statusMessage":"\#(text)","createdAt":NOW,"lastUpdatedAt":NOW,"ttlMs":null,"pollIntervalMs":1000\#(more)}"#
  }

  private func created(_ number: Int, _ text: String) -> String {
    task(
      number, "working", text,
      #","resultType":"task","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"raclette","version":"0.1.0"}}"#
    )
  }

  /// Asks about a task until it has another status than `working`.
  private func end(_ session: AgentSession, _ id: String) -> String {
    while true {
      let answer = session.ask("tasks/get", #""taskId":"\#(id)""#)
      guard answer.contains(#""status":"working""#) else { return plain(answer) }
    }
  }

  /// The answer that a request was received.
  private static let noted =
    #""result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"raclette","version":"0.1.0"}}}"#

  @Test("a client with the extension gets a task, which names its result when it has ended")
  func results() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder, .currentTasking)
      let hello = session.call("hello")
      #expect(plain(hello) == created(1, #"running: hello {\"who\":\"you\"} (TIME, #1)"#))
      #expect(
        end(session, id(hello))
          == task(
            1, "completed", #"completed: hello {\"who\":\"you\"} (TIME, #1)"#,
            #","result":{"content":[{"type":"text","text":"completed: hello {\"who\":\"you\"} (TIME, #1)\n  hello you\n"}],"structuredContent":{"number":1,"command":"hello","state":"completed","outputs":1},"isError":false}"#
          ))
      // A tool that fails has a result, too; `failed` is for errors of the protocol.
      #expect(
        end(session, id(session.call("run", #"{"command":"bad"}"#)))
          == task(
            2, "completed",
            "failed: bad (exit status 3, TIME, #2): 'echo 'error: bad'; exit 3' exited with status 3",
            #","result":{"content":[{"type":"text","text":"failed: bad (exit status 3, TIME, #2): 'echo 'error: bad'; exit 3' exited with status 3\n  error: bad\n"}],"structuredContent":{"number":2,"command":"bad","state":"failed","exit_status":3,"error":"'echo 'error: bad'; exit 3' exited with status 3","outputs":1},"isError":true}"#
          ))
      // What starts nothing answers as ever.
      #expect(
        session.call("run", #"{"command":"off"}"#)
          == toolResult("'off' is not enabled: not yet", #""error":"not_enabled""#, isError: true))
      #expect(
        session.call("look", #"{"number":1}"#)
          == toolResult(
            "completed: hello {\"who\":\"you\"} (TIME, #1)\n  hello you\n",
            #""number":1,"command":"hello","state":"completed","outputs":1"#))
      #expect(session.leave().status == 0)
    }
  }

  @Test("confirm comes before the task, and the task of what is confirmed after it")
  func confirm() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder, .currentTasking)
      let question = session.call("run", #"{"command":"deploy"}"#)
      #expect(question.contains(#""resultType":"input_required""#), "\(question)")
      let answer = session.call(
        "run", #"{"command":"deploy"}"#,
        more: #","inputResponses":{"confirm":{"action":"accept","content":{}}},"requestState":"1""#)
      #expect(plain(answer) == created(1, "running: deploy (TIME, #1)"))
      #expect(
        end(session, id(answer)).contains(#""text":"completed: deploy (TIME, #1)\n  deployed\n"#))
      #expect(session.leave().status == 0)
    }
  }

  @Test("tasks/cancel ends a task; one that has ended is acknowledged as well")
  func cancel() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder, .currentTasking)
      let name = id(session.call("run", #"{"command":"wait"}"#))
      for _ in 1...2 {
        #expect(session.ask("tasks/cancel", #""taskId":"\#(name)""#) == Self.noted)
      }
      #expect(end(session, name) == task(1, "cancelled", "cancelled: wait (TIME, #1)"))
      #expect(session.leave().status == 0)
    }
  }

  @Test("a task waits for a line that a person gives, once for each prompt")
  func input() async {
    let folder = HubFolder(commands: Self.commands)
    let asks = { @Sendable (key: String, prompt: String) in
      #","inputRequests":{"\#(key)":{"method":"elicitation/create","params":{"mode":"form","message":"\#(prompt)","requestedSchema":{"type":"object","properties":{"line":{"type":"string"}},"required":["line"]}}}}"#
    }
    await onThread {
      let session = AgentSession(folder, .currentTasking)
      let name = id(session.call("run", #"{"command":"ask"}"#))
      let first =
        #""taskId":"\#(name)","inputResponses":{"line-1":{"action":"accept","content":{"line":"you"}}}"#
      #expect(
        end(session, name)
          == task(1, "input_required", "running: ask (TIME, #1)", asks("line-1", "name? ")))
      #expect(session.ask("tasks/update", first) == Self.noted)
      #expect(
        end(session, name)
          == task(1, "input_required", "running: ask (TIME, #1)", asks("line-2", "age? ")))
      // What was answered is not answered again.
      #expect(session.ask("tasks/update", first) == Self.noted)
      #expect(
        session.ask(
          "tasks/update",
          #""taskId":"\#(name)","inputResponses":{"line-2":{"action":"accept","content":{"line":"7"}}}"#
        ) == Self.noted)
      #expect(
        end(session, name).contains(
          #""text":"completed: ask (TIME, #1)\n  name? hello you\n  age? 7\n"#))
      #expect(session.leave().status == 0)
    }
  }

  @Test("a task goes on when its server has ended or was killed, and another has its result")
  func comesBack() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let first = AgentSession(folder, .currentTasking)
      let waits = id(first.call("run", #"{"command":"wait"}"#))
      let hello = id(first.call("hello"))
      #expect(first.leave().status == 0)
      let second = AgentSession(folder, .currentTasking)
      #expect(end(second, hello).contains(#"hello you\n"#))
      #expect(
        plain(second.ask("tasks/get", #""taskId":"\#(waits)""#))
          == task(1, "working", "running: wait (TIME, #1)"))
      kill(second.running.pid, SIGKILL)
      _ = second.running.finish()
      let third = AgentSession(folder, .currentTasking)
      #expect(third.ask("tasks/cancel", #""taskId":"\#(waits)""#) == Self.noted)
      #expect(end(third, waits) == task(1, "cancelled", "cancelled: wait (TIME, #1)"))
      #expect(third.leave().status == 0)
    }
  }

  @Test("a client without the extension gets no task, and may ask about none")
  func undeclared() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder, .current)
      #expect(session.call("hello").contains(#"hello you\n"#))
      let lacks =
        #""error":{"code":-32021,"message":"the client has not declared the extension 'io.modelcontextprotocol/tasks'","data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}"#
      for (method, parameters) in [
        ("tasks/get", #""taskId":"1-x""#), ("tasks/cancel", #""taskId":"1-x""#),
        ("tasks/update", #""taskId":"1-x","inputResponses":{}"#),
        ("subscriptions/listen", #""notifications":{"taskIds":["1-x"]}"#),
      ] { #expect(session.ask(method, parameters) == lacks, "\(method)") }
      #expect(session.leave().status == 0)
      let other = AgentSession(folder, .currentTasking)
      // The number alone is no name.
      for id in ["1", "1-x", "x", ""] {
        #expect(
          other.ask("tasks/get", #""taskId":"\#(id)""#)
            == #""error":{"code":-32602,"message":"there is no task '\#(id)', or it is no longer kept"}"#
        )
      }
      #expect(
        other.ask("tasks/list", #""cursor":null"#)
          == #""error":{"code":-32601,"message":"unknown method 'tasks/list'"}"#)
      #expect(other.leave().status == 0)
    }
  }

  @Test("2025-11-25: a call that wants a task gets one, and tasks/result waits for its result")
  func previous() async {
    let folder = HubFolder(commands: Self.commands)
    let fields = { @Sendable (number: Int, status: String, text: String) in
      #""taskId":"\#(number)-ID","status":"\#(status)","statusMessage":"\#(text)","createdAt":NOW,"lastUpdatedAt":NOW,"ttl":null,"pollInterval":1000"#
    }
    await onThread {
      let session = AgentSession(folder, .previous)
      let more = #","task":{"ttl":60000}"#
      let bad = session.call("run", #"{"command":"bad"}"#, more: more)
      #expect(
        plain(bad) == #""result":{"task":{\#(fields(1, "working", "running: bad (TIME, #1)"))}}"#)
      #expect(
        plain(session.ask("tasks/result", #""taskId":"\#(id(bad))""#))
          == #""result":{"content":[{"type":"text","text":"failed: bad (exit status 3, TIME, #1): 'echo 'error: bad'; exit 3' exited with status 3\n  error: bad\n"}],"structuredContent":{"number":1,"command":"bad","state":"failed","exit_status":3,"error":"'echo 'error: bad'; exit 3' exited with status 3","outputs":1},"isError":true,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1-ID"}}}"#
      )
      let failed = fields(
        1, "failed",
        "failed: bad (exit status 3, TIME, #1): 'echo 'error: bad'; exit 3' exited with status 3")
      #expect(
        plain(session.ask("tasks/get", #""taskId":"\#(id(bad))""#)) == #""result":{\#(failed)}"#)
      let waits = session.call("run", #"{"command":"wait"}"#, more: more)
      let cancelled = fields(2, "cancelled", "cancelled: wait (TIME, #2)")
      #expect(
        plain(session.ask("tasks/cancel", #""taskId":"\#(id(waits))""#))
          == #""result":{\#(cancelled)}"#)
      #expect(
        plain(session.ask("tasks/cancel", #""taskId":"\#(id(waits))""#))
          == #""error":{"code":-32602,"message":"the task has ended: cancelled: wait (TIME, #2)"}"#)
      #expect(
        plain(session.ask("tasks/list", ""))
          == #""result":{"tasks":[{\#(cancelled)},{\#(failed)}]}"#)
      #expect(
        session.call("run", #"{"command":"off"}"#, more: more)
          == #""error":{"code":-32602,"message":"'off' is not enabled: not yet"}"#)
      #expect(
        session.call("list", more: more)
          == #""error":{"code":-32601,"message":"the tool 'list' cannot be called as a task"}"#)
      let tools = session.ask("tools/list", "")
      #expect(tools.ranges(of: #""execution":{"taskSupport":"optional"}"#).count == 2, "\(tools)")
      #expect(session.leave().status == 0)
    }
  }

  @Test("2025-11-25: the result of a task comes, whether its question was answered or not")
  func endsBeforeAnswer() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder, .previousAsking)
      let name = id(
        session.call("run", #"{"command":"ask"}"#, more: #","task":{"ttl":60000}"#))
      let result = session.request("tasks/result", #""taskId":"\#(name)""#)
      session.running.waitForOutput(#""id":"question-1""#)
      #expect(session.call("cancel", #"{"number":1}"#).contains("cancelled: ask"))
      #expect(session.answer(to: result).contains(#""state":"cancelled""#))
      session.running.waitForOutput(
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"question-1"}}"#
          + "\n")
      #expect(session.leave().status == 0)
    }
  }

  @Test("2025-11-25: tasks/result asks the person for the lines that a task waits for")
  func lines() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder, .previousAsking)
      let asks = { (number: Int, prompt: String, id: String) in
        #"{"jsonrpc":"2.0","id":"question-\#(number)","method":"elicitation/create","params":{"mode":"form","message":"\#(prompt)","requestedSchema":{"type":"object","properties":{"line":{"type":"string"}},"required":["line"]},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"\#(id)"}}}}"#
      }
      let name = id(
        session.call("run", #"{"command":"ask"}"#, more: #","task":{"ttl":60000}"#))
      let result = session.request("tasks/result", #""taskId":"\#(name)""#)
      session.running.waitForOutput(asks(1, "name? ", name))
      session.send(
        #"{"jsonrpc":"2.0","id":"question-1","result":{"action":"accept","content":{"line":"you"}}}"#
      )
      session.running.waitForOutput(asks(2, "age? ", name))
      // A prompt that was answered with no goes on waiting, and is not put again.
      session.send(#"{"jsonrpc":"2.0","id":"question-2","result":{"action":"decline"}}"#)
      #expect(
        session.call("answer", #"{"number":1,"text":"7"}"#).contains("sent to ask"))
      #expect(
        session.answer(to: result).contains(
          #""text":"completed: ask (TIME, #1)\n  name? hello you\n  age? 7\n"#))
      #expect(session.leave().status == 0)
    }
  }
}

/// Tasks by the newest clients.
@Suite(
  "raclette mcp: tasks of the SDKs' clients", .timeLimit(.minutes(5)),
  .enabled(if: PythonClients.areThere))
struct AgentTaskClientTests {
  /// The extension as an SDK's client has it: a result of its own, whose end it waits for.
  private static let extended = """
    import asyncio, sys
    from typing import Any, Literal
    import mcp_types as types
    from mcp import Client, StdioServerParameters
    from mcp.client.extension import ClientExtension, ResultClaim
    from mcp.client.stdio import stdio_client
    from pydantic import Field
    program, folder, kind = sys.argv[1:4]
    seen = []

    class Created(types.Result):
        result_type: Literal["task"] = Field(alias="resultType")
        task_id: str = Field(alias="taskId")

    class Task(types.Result):
        status: Literal["working", "input_required", "completed", "failed", "cancelled"]
        result: dict[str, Any] | None = None

    class Named(types.RequestParams):
        task_id: str = Field(serialization_alias="taskId")

    class Get(types.Request[Named, Literal["tasks/get"]]):
        method: Literal["tasks/get"] = "tasks/get"
        params: Named

    class Tasks(ClientExtension):
        identifier = "io.modelcontextprotocol/tasks"

        def claims(self):
            return (ResultClaim(result_type="task", model=Created, resolve=self.resolve),)

        async def resolve(self, created, context):
            seen.append(created.task_id.split("-")[0])
            while True:
                request = Get(params=Named.model_construct(task_id=created.task_id))
                task = await context.session.send_request(request, Task)
                if task.status == "completed":
                    return types.CallToolResult.model_validate(task.result)

    def connect():
        if kind == "mcp":
            server = StdioServerParameters(command=program, args=["mcp"], cwd=folder)
            return Client(stdio_client(server), extensions=[Tasks()])
        import fastmcp
        from fastmcp.client.transports import StdioTransport
        transport = StdioTransport(command=program, args=["mcp"], cwd=folder, keep_alive=False)
        return fastmcp.Client(transport, extensions=[Tasks()])

    async def main():
        async with connect() as client:
            result = await client.call_tool("hello", {"who": "me"})
            print(result.content[0].text.splitlines()[1])
            more = {} if kind == "mcp" else {"raise_on_error": False}
            result = await client.call_tool("run", {"command": "bad"}, **more)
            print(result.is_error, result.content[0].text.splitlines()[1])
            print((await client.call_tool("list", {"filter": "bad"})).content[0].text.splitlines()[0])
            print(seen)

    asyncio.run(main())

    """

  @Test("a call of a client with the extension is a task for it alone", arguments: ["mcp", "fast"])
  func extended(kind: String) async {
    let run = await run(Self.extended, kind)
    #expect(
      run.output == "  hello me\nTrue   error: bad\nbad\n['1', '2']\n", "\(run)")
    #expect(run.status == 0)
  }

  /// The messages of the revision before, checked by the types that the SDK has for them: its client
  /// takes no task for the result of a call.
  private static let previous = """
    import itertools, json, re, subprocess, sys
    import mcp_types._v2025_11_25 as types
    server = subprocess.Popen(
        [sys.argv[1], "mcp"], cwd=sys.argv[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    numbers = itertools.count(1)

    def ask(kind, method, **parameters):
        message = {"jsonrpc": "2.0", "id": next(numbers), "method": method, "params": parameters}
        print(json.dumps(message), file=server.stdin, flush=True)
        while True:
            answer = json.loads(server.stdout.readline())
            if answer.get("id") == message["id"]: return kind.model_validate(answer["result"])

    def start(command):
        created = ask(
            types.CreateTaskResult, "tools/call", name="run", arguments={"command": command},
            task={"ttl": 60000})
        print(created.task.status)
        return created.task.task_id

    capabilities = ask(
        types.InitializeResult, "initialize", protocolVersion="2025-11-25", capabilities={},
        clientInfo={"name": "test", "version": "1"}).capabilities.tasks
    print(capabilities.list, capabilities.cancel, capabilities.requests.tools.call)
    tools = ask(types.ListToolsResult, "tools/list").tools
    print([tool.name for tool in tools if tool.execution and tool.execution.task_support])
    task = start("bad")
    result = ask(types.CallToolResult, "tasks/result", taskId=task)
    print(result.is_error, result.content[0].text.splitlines()[1])
    print(ask(types.GetTaskResult, "tasks/get", taskId=task).status)
    task = start("wait")
    print(ask(types.CancelTaskResult, "tasks/cancel", taskId=task).status)
    print([task.status for task in ask(types.ListTasksResult, "tasks/list").tasks])
    server.stdin.close()
    server.wait()

    """

  @Test("the requests of 2025-11-25 are answered as the SDK's types have them")
  func previous() async {
    let run = await run(Self.previous, "")
    #expect(
      run.output == """
        {} {} {}
        ['run', 'hello']
        working
        True   error: bad
        failed
        working
        cancelled
        ['cancelled', 'failed']

        """, "\(run)")
    #expect(run.status == 0)
  }

  private func run(_ client: String, _ kind: String) async -> Outcome {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "hello", mcp = true, params = {{name = "who", default = "you"}},
          run = "echo hello $who"}
        rac.command{name = "bad", run = "echo 'error: bad'; exit 3"}
        rac.command{name = "wait", run = "echo up; exec sleep 1000"}
        """#)
    folder.folder.write(client, to: "client.py")
    return await shell(
      "XDG_RUNTIME_DIR='\(folder.runtime.path)' '\(PythonClients.python)' client.py raclette . \(kind)",
      in: folder.folder)
  }
}
