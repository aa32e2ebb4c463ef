#!/bin/sh
# lua-socket 3.1.0 (Debian 12), Lua 5.4 (installed).
# Behaviour: `receive("*l")`, and so `receive()`, drops every carriage return of the line, not only the one before the
#   line feed: `10%\r50%\r100%\n` is "10%50%100%", `a\rb\n` is "ab". There is no pattern that keeps them but a
#   number of bytes or "*a".
# Expected: the end of the line is cut off, LF or CR LF; what is within it is text.
# Who meets it: scripts that read the output of commands, logs and consoles through a socket: lines of progress
#   are glued together, columns and checksums of lines differ from those of the sender; protocols with
#   CR LF, for which it was made, show nothing of it.
set -eu
command -v lua5.4 >/dev/null || { echo "lua5.4 is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download lua-socket=3.1.0-1+b1 >/dev/null 2>&1
dpkg -x lua-socket_*.deb root
export LUA_PATH="$work/root/usr/share/lua/5.4/?.lua;;"
LUA_CPATH="$(echo "$work"/root/usr/lib/*-linux-gnu)/lua/5.4/?.so;;"
export LUA_CPATH
cat >trial.lua <<'END'
local socket = require "socket"
local server = assert(socket.bind("127.0.0.1", 0))
local _, port = server:getsockname()
local reader = assert(socket.connect("127.0.0.1", port))
local writer = server:accept()
local function show(text)
  return '"' .. text:gsub("\r", "\\r"):gsub("\n", "\\n") .. '"'
end
local function trial(text, ...)
  writer:send(text)
  print(show(text) .. " is read as " .. show(reader:receive(...)))
end
trial("10%\r50%\r100%\n")
trial("Host: here\r\n", "*l")
trial("a\r\rb\r\n", "*l")
trial("10%\r50%", 7)
END
lua5.4 trial.lua | tee seen
cat >expected <<'END'
"10%\r50%\r100%\n" is read as "10%50%100%"
"Host: here\r\n" is read as "Host: here"
"a\r\rb\r\n" is read as "ab"
"10%\r50%" is read as "10%\r50%"
END
diff seen expected
