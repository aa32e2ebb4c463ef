#!/bin/sh
# mcp 2.3.0 beside fastmcp 4.2.3 (PyPI).
# Behaviour: mcp parses an argument that is a text as JSON unless the parameter is exactly `str`. A
#   parameter `str | None` gets None for the text "null", and a text that is a JSON object or array is
#   refused as "not a valid string". "123" and "true" stay texts. fastmcp passes each text on.
# Expected: the client sends a JSON string, and the schema allows one, so the function gets it.
# Who meets it: tools with an optional body, query or patch, `text: str | None = None`: they work until
#   a model writes a JSON file with them.
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
async def required(text: str) -> str:
    return repr(text)

@server.tool()
async def optional(text: str | None = None) -> str:
    return repr(text)

server.run()
END
cat >client.py <<'END'
import json, subprocess, sys

server = subprocess.Popen([sys.executable, "server.py", sys.argv[1]], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

def send(method, number=None, **params):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    print(json.dumps(message), file=server.stdin, flush=True)
    while number is not None:
        answer = json.loads(server.stdout.readline())
        if answer.get("id") == number:
            return answer["result"]

send("initialize", 1, protocolVersion="2025-06-18", capabilities={},
     clientInfo={"name": "client", "version": "1"})
send("notifications/initialized")
number = 1
for tool in "required", "optional":
    for text in "123", "null", '{"port": 80}', "[1]":
        number += 1
        result = send("tools/call", number, name=tool, arguments={"text": text})
        said = "refused" if result["isError"] else result["content"][0]["text"]
        print(f"{sys.argv[1]} {tool}: {text!r} is {said}")
server.stdin.close()
END
for library in mcp fastmcp; do
  "$work/env/bin/python" client.py $library
done | tee seen
cat >expected <<'END'
mcp required: '123' is '123'
mcp required: 'null' is 'null'
mcp required: '{"port": 80}' is '{"port": 80}'
mcp required: '[1]' is '[1]'
mcp optional: '123' is '123'
mcp optional: 'null' is None
mcp optional: '{"port": 80}' is refused
mcp optional: '[1]' is refused
fastmcp required: '123' is '123'
fastmcp required: 'null' is 'null'
fastmcp required: '{"port": 80}' is '{"port": 80}'
fastmcp required: '[1]' is '[1]'
fastmcp optional: '123' is '123'
fastmcp optional: 'null' is 'null'
fastmcp optional: '{"port": 80}' is '{"port": 80}'
fastmcp optional: '[1]' is '[1]'
END
diff seen expected
