#!/bin/sh
# lua-cjson 2.1.0 beside dkjson 2.6 (Debian 12), Lua 5.4 (installed).
# Behaviour: cjson has one kind of number. An integer of Lua 5.4 with more than fourteen digits is
#   written rounded, `123456789012345` as 1.2345678901234e+14, and a read one is a float: 8080 becomes
#   8080.0 in a text, 9007199254740993 loses its last digit. `encode_number_precision` does
#   not go beyond fourteen. dkjson keeps integers.
# Expected: the library was built for Lua 5.4, whose integers have 64 bits, so they survive.
# Who meets it: ids, times in microseconds or nanoseconds and sizes that pass through a script: the
#   fifteenth digit changes without an error, and a port becomes "8080.0" in the line of a command.
set -eu
command -v lua5.4 >/dev/null || { echo "lua5.4 is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download lua-cjson=2.1.0+dfsg-2.2 lua-dkjson=2.6-2 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
library=$(find root -path '*/lua/5.4/cjson.so' | head -n1)
cat >trial.lua <<'END'
package.cpath = arg[1]:gsub("cjson%.so$", "?.so")
package.path = "root/usr/share/lua/5.4/?.lua"
local cjson, dkjson = require("cjson"), require("dkjson")
local function show(label, json)
  print(label .. ": written " .. json.encode(123456789012345) .. ", read "
    .. tostring(json.decode("9007199254740993")) .. ", port " .. json.decode("[8080]")[1]
    .. ", back " .. json.encode((json.decode("[1700000000123456]"))))
end
show("cjson", cjson)
show("dkjson", dkjson)
for _, digits in ipairs({14, 15}) do
  print(digits .. " digits: " .. (pcall(cjson.encode_number_precision, digits) and "taken" or "refused"))
end
END
lua5.4 trial.lua "$library" | tee seen
cat >expected <<'END'
cjson: written 1.2345678901234e+14, read 9.007199254741e+15, port 8080.0, back [1.7000000001235e+15]
dkjson: written 123456789012345, read 9007199254740993, port 8080, back [1700000000123456]
14 digits: taken
15 digits: refused
END
diff seen expected
