#!/bin/sh
# Lua 5.4.4 (Debian 12: lua5.4 and liblua5.4-dev).
# Behaviour: the program `lua5.4` switches to the generational collector when it starts; a state that
#   a host makes with luaL_newstate is incremental. Both are the same version of the same library.
# Expected: the same collector, as the manual names incremental the default mode.
# Who meets it: hosts that compare their speed or memory with `lua5.4 script.lua`, and authors of
#   scripts that are tuned with one and executed in the other.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download lua5.4=5.4.4-3+deb12u1 liblua5.4-dev=5.4.4-3+deb12u1 liblua5.4-0=5.4.4-3+deb12u1 \
  >/dev/null
for package in *.deb; do dpkg -x "$package" root; done
cat >host.c <<'END'
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
int main(void) {
  lua_State *state = luaL_newstate();
  luaL_openlibs(state);
  return luaL_dostring(state, "print(collectgarbage('incremental'))");
}
END
cc -I root/usr/include/lua5.4 host.c root/usr/lib/*/liblua5.4.a -lm -ldl -o host
echo "host: $(./host), program: $(root/usr/bin/lua5.4 -e 'print(collectgarbage("incremental"))')" |
  tee seen
[ "$(cat seen)" = "host: incremental, program: generational" ]
