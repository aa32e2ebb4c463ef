#!/bin/sh
# Python 3.11's asyncio (Debian 12), uvloop 0.23.0 and aioconsole 0.8.2 beside prompt_toolkit 3.0.53 (PyPI).
# Behaviour: `connect_read_pipe` makes standard input non-blocking, and with it, as a terminal is one open
#   file for all who have inherited it, the input and output of the shell and of all that follows. Nothing
#   takes it back: neither closing the transport, nor the end of the loop or of the program. The next
#   program of the script reads EAGAIN where it would have waited: cat fails with "Resource temporarily
#   unavailable". aioconsole, made for asking at a terminal, does the same. prompt_toolkit only polls.
# Expected: the flags belong to the program, as descriptors do, or are restored like the modes of a terminal.
# Who meets it: scripts that ask something in Python and go on with cat, read, ssh or psql, and runners that
#   lend their terminal. Nobody sees it at a prompt: bash makes its own input blocking again there.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q uvloop==0.23.0 aioconsole==0.8.2 prompt_toolkit==3.0.53
cd "$work"
cat >pipe.py <<'END'
import asyncio, sys

async def ask():
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.readline()
    transport.pause_reading()

if sys.argv[1] == "uvloop":
    import uvloop
    uvloop.run(ask())
else:
    asyncio.run(ask())
END
cat >console.py <<'END'
import asyncio, aioconsole
asyncio.run(aioconsole.ainput())
END
cat >prompt.py <<'END'
import asyncio, prompt_toolkit
asyncio.run(prompt_toolkit.PromptSession().prompt_async())
END
# A terminal of its own, at which a line is typed; then the flags that the next program finds.
after() {
  name=$1
  shift
  printf 'an answer\n' |
    script -qec "$work/env/bin/python $*; sed -n 's/^flags:[^0-9]*/flags /p' /proc/self/fdinfo/0 >flags" \
      /dev/null >/dev/null 2>&1
  # 04000 is O_NONBLOCK.
  if [ $((0$(sed 's/flags 0*//' flags) & 04000)) -ne 0 ]; then echo "$name: non-blocking"; else
    echo "$name: blocking"
  fi
}
{
  after asyncio pipe.py asyncio
  after uvloop pipe.py uvloop
  after aioconsole console.py
  after prompt_toolkit prompt.py
} | tee seen
cat >expected <<'END'
asyncio: non-blocking
uvloop: non-blocking
aioconsole: non-blocking
prompt_toolkit: blocking
END
cmp -s seen expected
