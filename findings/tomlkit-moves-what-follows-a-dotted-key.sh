#!/bin/sh
# tomlkit 0.15.2 beside tomllib of Python 3.11 (PyPI; Python).
# Behaviour: a table that is given to a key of a dotted one, `lint.cmd = "ruff"` and then
#   `tasks["lint"]["env"] = {"CI": "1"}`, is written right behind that line, as `[lint.env]` without the names
#   of the tables around it. All lines of the table that follow belong to the new one from then on. The document
#   in memory is right, nothing fails, and the text is valid TOML. With `[tasks.lint]` in place of the dotted
#   key, or with a plain value or an inline table, the text is right as well.
# Expected: what is written reads back as what was in memory; tomlkit keeps comments and order, not less.
# Who meets it: tools that edit a pyproject.toml for others, `tool add`, `tool config`, bots: with one that was
#   written by hand in the short form, tasks, dependencies and settings behind the edited key are gone from where
#   they were, and the change of two lines looks harmless.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q tomlkit==0.15.2
cd "$work"
cat >trial.py <<'END'
import tomllib, tomlkit

dotted = """[tool.poe.tasks]
lint.cmd = "ruff check"
lint.help = "Looks at the sources"
test = "pytest"
"""
header = """[tool.poe.tasks]
test = "pytest"

[tool.poe.tasks.lint]
cmd = "ruff check"
help = "Looks at the sources"
"""

def inline():
    table = tomlkit.inline_table()
    table["CI"] = "1"
    return table

for label, text, value in (("dotted, a table", dotted, lambda: {"CI": "1"}),
                           ("dotted, an inline table", dotted, inline),
                           ("dotted, a text", dotted, lambda: "CI=1"),
                           ("header, a table", header, lambda: {"CI": "1"})):
    document = tomlkit.parse(text)
    document["tool"]["poe"]["tasks"]["lint"]["env"] = value()
    written = tomlkit.dumps(document)
    memory, read = document.unwrap(), tomllib.loads(written)
    print(f"{label}: {'the same' if read == memory else 'another document'}")
    if read != memory:
        for line in filter(None, written.splitlines()):
            print(f"  {line}")
        print(f"  tasks in memory: {memory['tool']['poe']['tasks']}")
        print(f"  tasks read back: {read['tool']['poe']['tasks']}")
END
env/bin/python trial.py | tee seen
cat >expected <<'END'
dotted, a table: another document
  [tool.poe.tasks]
  lint.cmd = "ruff check"
  [lint.env]
  CI = "1"
  lint.help = "Looks at the sources"
  test = "pytest"
  tasks in memory: {'lint': {'cmd': 'ruff check', 'env': {'CI': '1'}, 'help': 'Looks at the sources'}, 'test': 'pytest'}
  tasks read back: {'lint': {'cmd': 'ruff check'}}
dotted, an inline table: the same
dotted, a text: the same
header, a table: the same
END
diff seen expected
