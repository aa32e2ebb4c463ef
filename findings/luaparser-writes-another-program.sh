#!/bin/sh
# luaparser 4.2.0 (PyPI), Lua 5.4 (Debian 12, installed).
# Behaviour: `ast.to_lua_source` of luaparser puts parentheses where the parsed text had them, not where the tree needs
#   them. So a tree that was changed becomes another program: with `a + b` in place of `x`, `x * c` is written
#   `a + b * c`, and `-x` is `-a + b`. A tree that was not changed can become one as well. The attribute of
#   `local lock <close> = ...` is in the tree and not in the text, so that nothing is closed. `- -c` is written
#   `--c`, which is a comment: `local value = - -c` takes the call on the next line for its value. A long text
#   `[==[a]]b]==]` is written `[[a]]b]]`, which Lua refuses; the others it executes without an error.
# Expected: the text means what the tree says, or the tree is refused.
# Who meets it: tools that inline, minify, instrument or translate Lua programs and take a library with a tree for that,
#   to be safer than with patterns: results are wrong where an expression was moved, and locks and files that a script
#   closes by `<close>` stay open. Writing a program out unchanged, the usual trial, shows none of the first.
set -eu
command -v lua5.4 >/dev/null || { echo "lua5.4 is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q luaparser==4.2.0
cd "$work"
cat >write.py <<'END'
import subprocess, sys
from luaparser import ast, astnodes

def inline(tree):
    """Puts the value of the first line, `local x = ...`, in place of each x."""
    value = tree.body.body[0].values[0]
    for node in list(ast.walk(tree)):
        for field in "left", "right", "operand":
            part = getattr(node, field, None)
            if isinstance(part, astnodes.Name) and part.id == "x":
                setattr(node, field, value)

def execute(text):
    run = subprocess.run(["lua5.4", "-"], input=text, capture_output=True, text=True)
    return " ".join(run.stdout.split()) if run.returncode == 0 else "not Lua"

numbers = "a, b, c = 1, 2, 3\n"
closing = """local function open(name)
  return setmetatable({}, {__close = function() print("close " .. name) end})
end
do
  local lock <close> = open("lock")
  print("work")
end
print("end")
"""
cases = [("parentheses", "print((a + b) * c, a - (b - c), -(a ^ b))", None),
         ("inlined", "local x = a + b\nprint(x * c, -x)", inline),
         ("negated", "local value = - -c\nprint(value)", None),
         ("closed", closing, None),
         ("long text", "print([==[a]]b]==])", None)]
for name, text, change in cases:
    tree = ast.parse(text)
    if change:
        change(tree)
    written = ast.to_lua_source(tree)
    print(f"{name}: {execute(numbers + text)} -> {execute(numbers + written)}")
END
"$work/env/bin/python" write.py | tee seen
cat >expected <<'END'
parentheses: 9 2 -1.0 -> 9 2 -1.0
inlined: 9 -3 -> 7 1
negated: 3 -> nil
closed: work close lock end -> work end
long text: a]]b -> not Lua
END
diff seen expected
