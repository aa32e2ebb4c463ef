#!/bin/sh
# fastmcp 4.2.3 (PyPI).
# Behaviour: the server says `"tools": {"listChanged": true}` when it is initialized. A tool that is
#   added later, also from within a call, is in the next `tools/list`, but no
#   notifications/tools/list_changed is sent. mcp 2.3.0 does not send it either, and says false.
# Expected: with that capability a client is notified and need not ask again.
# Who meets it: servers whose tools depend on a file, a login or a mode, and clients that keep the
#   list until they are notified: the model never sees the new tool.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q mcp==2.3.0 fastmcp==4.2.3
cd "$work"
cat >server.py <<'END'
import sys
if sys.argv[1] == "mcp":
    from mcp.server.mcpserver import MCPServer as Server
else:
    from fastmcp import FastMCP as Server
server = Server("server")

@server.tool()
async def grow() -> str:
    def grown() -> str:
        return "grown"
    server.add_tool(grown)
    return "added"

server.run()
END
cat >client.py <<'END'
import json, subprocess, sys

server = subprocess.Popen([sys.executable, "server.py", sys.argv[1]], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
notified = []

def send(method, number=None, **params):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if number:
        message["id"] = number
    print(json.dumps(message), file=server.stdin, flush=True)
    while number:
        answer = json.loads(server.stdout.readline())
        if answer.get("id") == number:
            return answer["result"]
        notified.append(answer["method"])

hello = send("initialize", 1, protocolVersion="2025-06-18", capabilities={},
             clientInfo={"name": "client", "version": "1"})
send("notifications/initialized")
send("tools/call", 2, name="grow", arguments={})
tools = [tool["name"] for tool in send("tools/list", 3)["tools"]]
server.stdin.close()
notified += [json.loads(line)["method"] for line in server.stdout]
print(f"{sys.argv[1]}: listChanged {hello['capabilities']['tools']['listChanged']},",
      f"list {tools}, notified {notified}")
END
for library in mcp fastmcp; do
  "$work/env/bin/python" client.py $library
done | tee seen
cat >expected <<'END'
mcp: listChanged False, list ['grow', 'grown'], notified []
fastmcp: listChanged True, list ['grow', 'grown'], notified []
END
diff seen expected
