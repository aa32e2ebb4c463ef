#!/bin/sh
# mcp 2.3.0 and fastmcp 4.2.3 (PyPI), servers on standard input and output.
# Behaviour: when standard input ends, calls that still run are cancelled, although standard output is
#   open. They are answered with the error -32000 "Connection closed" or not at all, and the server
#   exits with 0.
# Expected: who has read all requests answers them and ends, as filters do.
# Who meets it: scripts and tests that pipe messages into a server, `printf ... | server`: quick tools
#   answer, slow ones fail, with an error that names the wrong side.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q mcp==2.3.0 fastmcp==4.2.3
cd "$work"
cat >server.py <<'END'
import asyncio, sys
if sys.argv[1] == "mcp":
    from mcp.server.mcpserver import MCPServer as Server
else:
    from fastmcp import FastMCP as Server
server = Server("server")

@server.tool()
async def wait() -> str:
    try:
        await asyncio.sleep(1)
        return "waited"
    except asyncio.CancelledError:
        open("cancelled", "w").close()
        raise

server.run()
END
cat >requests <<'END'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{}}}
END
call() { # label, library
  rm -f cancelled
  status=0
  "$work/env/bin/python" server.py "$2" >answers 2>/dev/null || status=$?
  echo "$2, input $1: $(grep -c '"result"' answers) results, status $status," \
    "$([ -e cancelled ] && echo cancelled || echo not cancelled)"
}
for library in mcp fastmcp; do
  call ended $library <requests
  # Ends when the call has been answered.
  { cat requests; while ! grep -q waited answers; do sleep 0.1; done; } | call open $library
done | tee seen
cat >expected <<'END'
mcp, input ended: 1 results, status 0, cancelled
mcp, input open: 2 results, status 0, not cancelled
fastmcp, input ended: 1 results, status 0, cancelled
fastmcp, input open: 2 results, status 0, not cancelled
END
diff seen expected
