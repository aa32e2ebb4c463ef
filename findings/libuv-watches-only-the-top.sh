#!/bin/sh
# libuv 1.44.2 with lua-luv 1.44.2-0 (Debian 12), Lua 5.4 (installed).
# Behaviour: `uv_fs_event_start` takes the flag UV_FS_EVENT_RECURSIVE on Linux, returns 0, and watches the folder
#   itself and nothing below it, now or later. By its documentation the flag is for macOS and Windows.
# Expected: ENOTSUP, as libuv has for other things that a system lacks, or watches of the folders below.
# Who meets it: plugins of editors and tools on libuv that were written on a Mac: with `{ recursive = true }` the
#   changes at the top arrive, so it seems to work, and none of those in src/ does. Node has code of its own
#   for it.
set -eu
command -v lua5.4 >/dev/null || { echo "lua5.4 is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download lua-luv=1.44.2-0-1 libuv1=1.44.2-1+deb12u1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
libraries=$(echo "$work"/root/usr/lib/*-linux-gnu)
mkdir -p tree/old
cat >trial.lua <<'END'
local uv = require "luv"
print("libuv " .. uv.version_string())
local function write(path)
  uv.fs_close(assert(uv.fs_open(path, "w", 420)))
end
local seen = {}
local events = uv.new_fs_event()
print("start: " .. tostring(events:start("tree", { recursive = true }, function(failure, name)
  seen[failure or name] = true
  -- The last of the changes, at the top, so that all before it have been reported.
  if name == "last" then events:stop() end
end)))
write "tree/top"
write "tree/old/deep"
assert(uv.fs_mkdir("tree/new", 493))
write "tree/new/deep"
write "tree/last"
uv.run()
local names = {}
for name in pairs(seen) do names[#names + 1] = name end
table.sort(names)
print("seen: " .. table.concat(names, ", "))
END
LD_LIBRARY_PATH="$libraries" LUA_CPATH="$libraries/lua/5.4/?.so;;" lua5.4 trial.lua | tee seen
cat >expected <<'END'
libuv 1.44.2
start: 0
seen: last, new, top
END
diff seen expected
