#!/bin/sh
# PyYAML 6.0.4, ruamel.yaml 0.19.1, go-task 3.54.0 (PyPI go-task-bin).
# Behaviour: PyYAML puts quotes around a text where PyYAML itself would read a number. It reads by the
#   rules of YAML 1.1, in which an exponent needs a point and a sign, octal digits are written 017 and
#   08 is none: so the text `1234e56` is written bare, and so are `12e3`, `0o17`, `08` and `+.5`.
#   ruamel.yaml and go-task, by YAML 1.2, read numbers; `1234e56` becomes 1.234e+59.
# Expected: what `safe_dump` writes is read back as it was by every reader of YAML; a writer quotes
#   what looks like a number.
# Who meets it: generated Taskfiles, workflows, values and manifests with an abbreviated commit, a digest,
#   an id or a two-digit month: about one commit of a hundred has seven characters of that form, so it
#   works until a certain one. `default_style='"'` writes all texts in quotes.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pyyaml==6.0.4 ruamel.yaml==0.19.1 go-task-bin==3.54.0
cd "$work"
cat >trial.py <<'END'
import subprocess, sys, yaml
from ruamel.yaml import YAML

for text in "1234e56", "12e3", "0o17", "08", "+.5", "a1b2c3d", "017", "1.5":
    tasks = {"show": {"cmds": ["echo '{{.TEXT}}'"], "silent": True}}
    written = yaml.safe_dump({"version": "3", "vars": {"TEXT": text}, "tasks": tasks})
    open("Taskfile.yml", "w").write(written)
    [line] = [line.strip() for line in written.splitlines() if "TEXT: " in line]
    task = subprocess.run([sys.argv[1], "show"], capture_output=True, text=True).stdout.strip()
    print(f"{line} | PyYAML {yaml.safe_load(written)['vars']['TEXT']!r}, "
          f"ruamel.yaml {YAML(typ='safe', pure=True).load(written)['vars']['TEXT']!r}, task {task}")
END
"$work/env/bin/python" trial.py "$work/env/bin/task" | tee seen
cat >expected <<'END'
TEXT: 1234e56 | PyYAML '1234e56', ruamel.yaml 1.234e+59, task 1.234e+59
TEXT: 12e3 | PyYAML '12e3', ruamel.yaml 12000.0, task 12000
TEXT: 0o17 | PyYAML '0o17', ruamel.yaml 15, task 15
TEXT: 08 | PyYAML '08', ruamel.yaml 8, task 8
TEXT: +.5 | PyYAML '+.5', ruamel.yaml 0.5, task 0.5
TEXT: a1b2c3d | PyYAML 'a1b2c3d', ruamel.yaml 'a1b2c3d', task a1b2c3d
TEXT: '017' | PyYAML '017', ruamel.yaml '017', task 017
TEXT: '1.5' | PyYAML '1.5', ruamel.yaml '1.5', task 1.5
END
diff seen expected
