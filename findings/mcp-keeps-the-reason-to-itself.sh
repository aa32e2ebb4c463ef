#!/bin/sh
# mcp 2.3.0 beside 1.27.0 and fastmcp 4.2.3 (PyPI), servers on standard input and output.
# Behaviour: a tool of mcp that raises an exception is answered with "Error executing tool NAME" and no more:
#   the text of the exception goes to the log of the server. Only that of mcp's own ToolError is in the
#   answer, and the errors of arguments that the schema refuses. fastmcp sends the text of each.
# Expected: the model reads why, as in 1.x of the same package, and mends its call.
# Who meets it: tools whose functions raise ValueError("give a folder, not a file") as functions do: after
#   the update the model gets no hint, tries the same again or gives up, and the tests of the functions
#   pass. A ToolError carries its text in all three.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in mcp==2.3.0 mcp==1.27.0 fastmcp==4.2.3; do
  python3 -m venv "env-$package"
  "env-$package/bin/pip" install -q "$package"
done
cat >server.py <<'END'
import sys
if sys.argv[1] == "fastmcp":
    from fastmcp import FastMCP as Server
    from fastmcp.exceptions import ToolError
elif sys.argv[1] == "1":
    from mcp.server.fastmcp import FastMCP as Server
    from mcp.server.fastmcp.exceptions import ToolError
else:
    from mcp.server import MCPServer as Server
    from mcp.server.mcpserver.exceptions import ToolError

server = Server("trial")

@server.tool()
def value() -> str:
    raise ValueError("give a folder, not a file")

@server.tool()
def file() -> str:
    return open("missing.csv").read()

@server.tool()
def tool() -> str:
    raise ToolError("give a folder, not a file")

server.run()
END
cat >client.py <<'END'
import json, subprocess, sys

server = subprocess.Popen([sys.executable, "server.py", sys.argv[1]], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

def send(**message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()

def ask(method, **parameters):
    send(id=1, method=method, params=parameters)
    return json.loads(server.stdout.readline())["result"]

ask("initialize", protocolVersion="2025-06-18", capabilities={},
    clientInfo={"name": "trial", "version": "1"})
send(method="notifications/initialized")
for name in "value", "file", "tool":
    result = ask("tools/call", name=name, arguments={})
    print(f"  {name}: isError {result['isError']}, {[part['text'] for part in result['content']]}")
server.stdin.close()
server.wait(30)
END
{
  echo mcp 2.3.0
  ./env-mcp==2.3.0/bin/python client.py 2
  echo mcp 1.27.0
  ./env-mcp==1.27.0/bin/python client.py 1
  echo fastmcp 4.2.3
  ./env-fastmcp==4.2.3/bin/python client.py fastmcp
} | tee seen
cat >expected <<'END'
mcp 2.3.0
  value: isError True, ['Error executing tool value']
  file: isError True, ['Error executing tool file']
  tool: isError True, ['Error executing tool tool: give a folder, not a file']
mcp 1.27.0
  value: isError True, ['Error executing tool value: give a folder, not a file']
  file: isError True, ["Error executing tool file: [Errno 2] No such file or directory: 'missing.csv'"]
  tool: isError True, ['Error executing tool tool: give a folder, not a file']
fastmcp 4.2.3
  value: isError True, ["Error calling tool 'value': give a folder, not a file"]
  file: isError True, ["Error calling tool 'file': [Errno 2] No such file or directory: 'missing.csv'"]
  tool: isError True, ['give a folder, not a file']
END
diff seen expected
