import Platform
import Testing

/// The packages for Python that `scripts/setup --tests` installs: clients of others.
enum PythonClients {
  static let python: String = {
    let cache = getenv("XDG_CACHE_HOME").map { String(cString: $0) }
    let home = getenv("HOME").map { String(cString: $0) } ?? ""
    return "\(cache ?? home + "/.cache")/raclette/python/bin/python"
  }()

  static let areThere = spawnAndWait([python, "-c", "import mcp, fastmcp, prometheus_client"]) == 0
}

/// The newest clients of the Model Context Protocol, at a day's work.
@Suite(
  "raclette mcp: the SDKs' clients", .timeLimit(.minutes(5)), .enabled(if: PythonClients.areThere))
struct AgentClientTests {
  private static let commands = #"""
    rac.command{name = "hello", summary = "Greet", mcp = true,
      params = {{name = "who", default = "you"}}, run = "echo hello $who"}
    rac.command{name = "bad", run = "echo 'error: bad'; exit 3"}
    rac.command{name = "off", run = "echo", enabled = rac.just(rac.tuple(false, "not yet"))}
    rac.command{name = "deploy", confirm = "Deploy?", run = "echo deployed"}
    rac.command{name = "wait", run = "echo up; exec sleep 1000"}
    """#

  /// What both SDKs do with a connection `connect()` and a tool's answer.
  private static let day = """
    async def say(client, name, **arguments):
        result = await client.call_tool(name, arguments, **more)
        text = result.content[0].text
        print(is_error(result), re.sub(r"[0-9.]+ s,", "1 s,", text), end="")

    async def until(client, text, **arguments):
        while text not in (await client.call_tool("look", arguments, **more)).content[0].text:
            pass

    async def main():
        async with connect() as client:
            print([tool.name for tool in await tools(client)])
            await say(client, "list")
            await say(client, "hello", who="me")
            await say(client, "run", command="bad")
            await say(client, "run", command="off")
            print()
            await say(client, "run", command="deploy")
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "run", {"command": "wait", "wait": 300})
                await until(client, "  up\\n", number=4)
                group.cancel_scope.cancel()
            await until(client, "cancelled", number=4)
            arguments = {"command": "wait", "wait": 0, "detach": True}
            await client.call_tool("run", arguments, **more)
            await until(client, "  up\\n", number=5)
        async with connect() as client:
            number = 5
            await say(client, "look", number=number, wait=0)
            await say(client, "cancel", number=number)

    asyncio.run(main())

    """

  private static let preamble = """
    import asyncio, re, sys, anyio
    program, folder = sys.argv[1], sys.argv[2]
    more = {}

    """

  private static let official = """
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client
    import mcp_types

    async def ask(context, parameters):
        print("asked:", parameters.message)
        return mcp_types.ElicitResult(action="accept", content={})

    def connect():
        server = StdioServerParameters(command=program, args=["mcp"], cwd=folder)
        return Client(stdio_client(server), mode=sys.argv[3], elicitation_callback=ask)

    async def tools(client): return (await client.list_tools()).tools
    def is_error(result): return result.is_error

    """

  private static let fast = """
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport
    more = {"raise_on_error": False}

    async def ask(message, kind, parameters, context):
        print("asked:", message)
        return {}

    def connect():
        transport = StdioTransport(command=program, args=["mcp"], cwd=folder, keep_alive=False)
        return Client(transport, elicitation_handler=ask)

    async def tools(client): return await client.list_tools()
    def is_error(result): return result.is_error

    """

  private static let transcript = """
    ['list', 'run', 'look', 'cancel', 'answer', 'hello']
    False hello [who]: Greet
    bad
    off [not enabled: not yet]
    deploy
    wait
    False completed: hello {"who":"me"} (1 s, #1)
      hello me
    True failed: bad (exit status 3, 1 s, #2): 'echo 'error: bad'; exit 3' exited with status 3
      error: bad
    True 'off' is not enabled: not yet
    asked: deploy asks: Deploy?
    False completed: deploy (1 s, #3)
      deployed
    False running: wait (1 s, #5)
      up
    it continues; to see what follows: look {"number": 5, "from": 1, "wait": 60}; to end it: cancel {"number": 5}
    False cancelled: wait (1 s, #5)
      up

    """

  private func run(_ client: String, _ mode: String) async -> Outcome {
    let folder = HubFolder(commands: Self.commands)
    folder.folder.write(Self.preamble + client + Self.day, to: "client.py")
    return await shell(
      "XDG_RUNTIME_DIR='\(folder.runtime.path)' '\(PythonClients.python)' client.py raclette . \(mode)",
      in: folder.folder)
  }

  @Test("mcp works in both of its modes", arguments: ["auto", "legacy"])
  func official(mode: String) async {
    let run = await run(Self.official, mode)
    #expect(run.output == Self.transcript, "\(run)")
    #expect(run.status == 0)
  }

  @Test("fastmcp works")
  func fastMCP() async {
    let run = await run(Self.fast, "")
    #expect(run.output == Self.transcript, "\(run)")
    #expect(run.status == 0)
  }
}
