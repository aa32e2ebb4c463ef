#!/bin/sh
# mcp 2.3.0 and fastmcp 4.2.3 (PyPI).
# Behaviour: a tool that returns an empty list is answered with no content at all, in both; an empty
#   dict is `{}`. In mcp each element of a list is a text of its own, so that a list of one text looks
#   like that text and `["a, b"]` like no list; fastmcp has one text with JSON. Only `structuredContent`,
#   which is newer and not what each client shows the model, has the list both times.
# Expected: the content is what was returned, as JSON, `[]` above all.
# Who meets it: tools that search: "nothing found" arrives as an empty answer, which looks
#   like a tool that does not work; clients that take the first content see the first hit alone. With the
#   results of the tests, which are not empty, all is well.
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
HITS = {"none": [], "one": ["a"], "two": ["a", "b"], "comma": ["a, b"]}

@server.tool()
def search(text: str) -> list[str]:
    return HITS[text]

@server.tool()
def count(text: str) -> dict[str, int]:
    return {}

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
for number, (tool, text) in enumerate([("search", "none"), ("search", "one"), ("search", "two"),
                                       ("search", "comma"), ("count", "none")], 2):
    result = send("tools/call", number, name=tool, arguments={"text": text})
    print(f"{sys.argv[1]}: {tool} {text}: content", [part["text"] for part in result["content"]],
          "structured", result.get("structuredContent"))
server.stdin.close()
server.wait()
END
for library in mcp fastmcp; do "$work/env/bin/python" client.py $library; done | tee seen
cat >expected <<'END'
mcp: search none: content [] structured {'result': []}
mcp: search one: content ['a'] structured {'result': ['a']}
mcp: search two: content ['a', 'b'] structured {'result': ['a', 'b']}
mcp: search comma: content ['a, b'] structured {'result': ['a, b']}
mcp: count none: content ['{}'] structured {}
fastmcp: search none: content [] structured {'result': []}
fastmcp: search one: content ['["a"]'] structured {'result': ['a']}
fastmcp: search two: content ['["a","b"]'] structured {'result': ['a', 'b']}
fastmcp: search comma: content ['["a, b"]'] structured {'result': ['a, b']}
fastmcp: count none: content ['{}'] structured {}
END
diff seen expected
