#!/bin/sh
# mcp 2.3.0 beside fastmcp 4.2.3 (PyPI).
# Behaviour: mcp drops an argument that the function does not have and calls the tool, with the default
#   in its place: no error, no hint in the result. Its schema does not close the object either. fastmcp
#   publishes `"additionalProperties": false` and refuses the call by the argument's name.
# Expected: the decorator knows all parameters of the function, so both answer with an error that the
#   model can read.
# Who meets it: tools with optional parameters, above all those that limit what is done: a model that
#   writes `dryrun` for `dry_run`, or the name of last week's version, is told that it succeeded.
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
async def deploy(target: str, dry_run: bool = False) -> str:
    return f"{'would deploy' if dry_run else 'deployed'} {target}"

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
[tool] = send("tools/list", 2)["tools"]
result = send("tools/call", 3, name="deploy", arguments={"target": "shop", "dryrun": True})
print(f"{sys.argv[1]}: additionalProperties {tool['inputSchema'].get('additionalProperties')},",
      "refused" if result["isError"] else result["content"][0]["text"])
server.stdin.close()
END
for library in mcp fastmcp; do
  "$work/env/bin/python" client.py $library
done | tee seen
cat >expected <<'END'
mcp: additionalProperties None, deployed shop
fastmcp: additionalProperties False, refused
END
diff seen expected
