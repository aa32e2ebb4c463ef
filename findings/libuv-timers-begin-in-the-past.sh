#!/bin/sh
# libuv 1.44.2 with lua-luv 1.44.2-0 (Debian 12), Lua 5.4 (installed).
# Behaviour: a timer counts from the time that the loop has read when it last woke up, not from the call that starts
#   it. After work that takes longer, a timer fires at once when the loop has yet to run, or when anything else wakes
#   it, such as another timer that ticks. If nothing does, it waits for its full time. `uv.update_time()` before
#   the start mends it. Of two timers the one with less time fires first, also when it was started later by more.
# Expected: a timer of 300 ms fires 300 ms after it was started, or later; never earlier.
# Who meets it: scripts on libuv that do something slow and then start a limit or a pause: a connection, a retry or
#   a prompt has "timed out" in the moment in which it begins. It takes a busy machine and a spinner or a heartbeat
#   beside it, so small trials are right.
set -eu
command -v lua5.4 >/dev/null || { echo "lua5.4 is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download lua-luv=1.44.2-0-1 libuv1=1.44.2-1+deb12u1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
libraries=$(echo "$work"/root/usr/lib/*-linux-gnu)
cat >trial.lua <<'END'
local uv = require "luv"
local function since(start)
  return (uv.hrtime() - start) / 1e6
end
local function work(milliseconds)
  local start = uv.hrtime()
  while since(start) < milliseconds do end
end
local function trial(label, before)
  before()
  local start = uv.hrtime()
  -- The loop counts whole milliseconds, so that one may be missing.
  uv.new_timer():start(300, 0, function()
    print(label .. ": " .. (since(start) < 200 and "too early" or "in time"))
    uv.stop()
  end)
end
local function none() end

work(500)
trial("before the loop runs", none)
uv.run()
work(500)
trial("before the loop runs, with update_time", uv.update_time)
uv.run()
local function in_callback(label, before)
  uv.new_timer():start(0, 0, function()
    work(500)
    trial(label, before)
  end)
  uv.run()
end
in_callback("in a callback", none)
local tick = uv.new_timer()
tick:start(50, 50, none)
in_callback("in a callback, beside a tick", none)
in_callback("in a callback, beside a tick, with update_time", uv.update_time)
tick:stop()
uv.new_timer():start(0, 0, function()
  uv.new_timer():start(200, 0, function() print "started first, 200 ms" end)
  work(400)
  uv.new_timer():start(100, 0, function() print "started 400 ms later, 100 ms" end)
end)
uv.run()
END
LD_LIBRARY_PATH="$libraries" LUA_CPATH="$libraries/lua/5.4/?.so;;" lua5.4 trial.lua | tee seen
cat >expected <<'END'
before the loop runs: too early
before the loop runs, with update_time: in time
in a callback: in time
in a callback, beside a tick: too early
in a callback, beside a tick, with update_time: in time
started 400 ms later, 100 ms
started first, 200 ms
END
diff seen expected
