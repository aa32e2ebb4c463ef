#!/bin/sh
# mcp 2.3.0 (PyPI), the client of the official Python SDK.
# Behaviour: the client opens with `server/discover` and sends `initialize` only after ten seconds
#   without an answer. A server that ignores requests that it does not know costs each start ten
#   seconds; one that answers with the error -32601 costs none.
# Expected: `initialize` first, as every revision until 2025-11-25 says, or both at once.
# Who meets it: servers written against the revisions with `initialize` that drop unknown methods
#   before the handshake, and clients whose own limit for a start is shorter.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q mcp==2.3.0
cd "$work"
cat >server.py <<'END'
"""Writes down when each request came; answers unknown ones with an error if asked to."""
import json, sys, time

start = time.monotonic()
with open(sys.argv[1], "w") as log:
    for line in sys.stdin:
        message = json.loads(line)
        print(round((time.monotonic() - start) / 5) * 5, message["method"], file=log, flush=True)
        if sys.argv[2] == "answers":
            error = {"code": -32601, "message": "Method not found"}
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}), flush=True)
END
cat >client.py <<'END'
import asyncio, sys
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

async def connect():
    server = StdioServerParameters(command=sys.executable, args=["server.py", *sys.argv[1:]])
    async with asyncio.timeout(13), Client(stdio_client(server)):
        pass

try:
    asyncio.run(connect())
except BaseException as error:
    print(sys.argv[2], "ended with", type(error).__name__)
END
for manner in ignores answers; do
  "$work/env/bin/python" client.py "$manner.log" "$manner" 2>/dev/null || true
  sed "s/^/$manner: after /; s/after \([0-9]*\)/after \1 s/" "$manner.log"
done | grep after | tee seen
cat >expected <<'END'
ignores: after 0 s server/discover
ignores: after 10 s initialize
answers: after 0 s server/discover
answers: after 0 s initialize
END
diff seen expected
