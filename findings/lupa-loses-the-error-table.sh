#!/bin/sh
# lupa 2.8 (PyPI) with Lua 5.4.
# Behaviour: `error({code = 3})` reaches Python as a LuaError whose text is empty; no field of the
#   exception has the table. A `pcall` around a Python function that calls such Lua code gets a userdata
#   with an empty text. Of a thrown text the first line arrives, but also as userdata.
# Expected: the exception carries the value, or at least names its type, as the program `lua5.4` does.
# Who meets it: hosts in Python whose scripts throw tables to say how a step failed: the log says
#   "LuaError:" and nothing else.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q lupa==2.8
cd "$work"
cat >errors.py <<'END'
from lupa import lua54

lua = lua54.LuaRuntime()
throw = {"text": "error('three', 0)", "table": "error({code = 3})"}
for kind, code in throw.items():
    try:
        lua.execute(code)
    except lua54.LuaError as error:
        print(kind, "in Python:", [text.split("\n")[0] for text in error.args], vars(error))
    caught = lua.eval("function(act) local _, e = pcall(act) return type(e) .. ' ' .. "
                      "(type(e) == 'table' and e.code or tostring(e):match('[^\\n]*')) end")
    print(kind, "through Python:", repr(caught(lambda: lua.execute(code))))
    print(kind, "in Lua alone:", repr(caught(lua.eval(f"function() {code} end"))))
END
"$work/env/bin/python" errors.py | tee seen
cat >expected <<'END'
text in Python: ['three'] {}
text through Python: 'userdata three'
text in Lua alone: 'string three'
table in Python: [''] {}
table through Python: 'userdata '
table in Lua alone: 'table 3'
END
diff seen expected
