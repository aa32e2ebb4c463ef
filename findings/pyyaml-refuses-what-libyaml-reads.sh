#!/bin/sh
# PyYAML 6.0.4, ruamel.yaml 0.19.1, go-task 3.54.0 (PyPI go-task-bin).
# Behaviour: a tab behind a value, before a comment or between a key and its value is legal. PyYAML reads
#   it with CSafeLoader, its binding of libyaml, and refuses the file with SafeLoader, which is what
#   `yaml.safe_load` uses; ruamel.yaml without its extension refuses it as well. go-task reads it.
# Expected: both loaders of one library take the same files, one of them slower; tabs are forbidden
#   for indentation only.
# Who meets it: one file for two tools, such as compose.yaml, which one of them calls broken, and
#   programs that take CSafeLoader "if it is there": the file works where the wheel has libyaml.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pyyaml==6.0.4 ruamel.yaml==0.19.1 go-task-bin==3.54.0
cd "$work"
cat >load.py <<'END'
import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

def tried(load):
    try:
        return load()
    except (yaml.YAMLError, YAMLError) as error:
        return type(error).__name__

for text in "port: 80\t\n", "port: 80\t# of the proxy\n", "port:\t80\n", "port: 80 \n":
    print(f"{text!r}: CSafeLoader {tried(lambda: yaml.load(text, yaml.CSafeLoader))},",
          f"safe_load {tried(lambda: yaml.safe_load(text))},",
          f"ruamel.yaml {tried(lambda: YAML(typ='safe', pure=True).load(text))}")
END
printf 'version: "3"\t\ntasks:\n  greet:\techo hello\t# a tab on each side\n' >Taskfile.yml
{
  "$work/env/bin/python" load.py
  echo "task: $("$work/env/bin/task" --silent greet)"
} | tee seen
cat >expected <<'END'
'port: 80\t\n': CSafeLoader {'port': 80}, safe_load ScannerError, ruamel.yaml ScannerError
'port: 80\t# of the proxy\n': CSafeLoader {'port': 80}, safe_load ScannerError, ruamel.yaml ScannerError
'port:\t80\n': CSafeLoader {'port': 80}, safe_load ScannerError, ruamel.yaml ScannerError
'port: 80 \n': CSafeLoader {'port': 80}, safe_load {'port': 80}, ruamel.yaml {'port': 80}
task: hello
END
diff seen expected
