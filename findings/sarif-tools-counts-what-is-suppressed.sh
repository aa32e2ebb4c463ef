#!/bin/sh
# sarif-tools 3.0.5 (PyPI).
# Behaviour: a SARIF file keeps results that somebody has accepted, marked by `suppressions`, and results that have gone
#   since an earlier run, marked by `"baselineState": "absent"`. sarif-tools counts both as issues in `summary`, `csv`
#   and `codeclimate`, and `--check error` fails for them; a result with `"kind": "pass"` it knows to be none. A
#   filter with `exclude: [{suppression: }]` excludes every result, since by default one that lacks the property
#   counts as a match, in an exclusion too. With `default-include: false` it excludes the suppressed one alone.
# Expected: what is suppressed or absent is no open issue, which is what the two properties are for; to exclude by a
#   property leaves alone what does not have it.
# Who meets it: pipelines that collect the files of several analysers and let this program decide. semgrep 1.185.0, for
#   one, writes what a comment has silenced in this way and counts it as no finding: the analyser's step is green, the
#   step behind it is red, and the comment does not help. Whoever then adds the filter has a step that is always green.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q --no-compile sarif-tools==3.0.5
cd "$work"
cat >write.py <<'END'
import json

def result(text, line, **more):
    place = {"artifactLocation": {"uri": "a.c"}, "region": {"startLine": line}}
    return {"ruleId": "R1", "message": {"text": text}, "locations": [{"physicalLocation": place}], **more}

results = {
    "open": result("open", 1, level="error"),
    "suppressed": result("suppressed", 2, level="error", suppressions=[{"kind": "inSource", "status": "accepted"}]),
    "absent": result("absent", 3, level="error", baselineState="absent"),
    "passed": result("passed", 4, kind="pass"),
}
for name, chosen in [*((name, [each]) for name, each in results.items()), ("all", list(results.values()))]:
    run = {"tool": {"driver": {"name": "analyser", "rules": [{"id": "R1"}]}}, "results": chosen}
    with open(f"{name}.sarif", "w") as file:
        json.dump({"version": "2.1.0", "runs": [run]}, file)
END
python3 write.py
printf 'description: plain\nexclude:\n  - suppression:\n' >plain.yml
printf 'configuration:\n  default-include: false\n' | cat - plain.yml >option.yml
# It imports matplotlib, which keeps a list of fonts.
export MPLCONFIGDIR="$work/fonts"
sarif() { "$work/env/bin/sarif" "$@"; }
names() {
  sarif csv --output list.csv "$@" all.sarif >/dev/null
  cut -d, -f4 list.csv | tail -n +2 | sort | xargs | sed 's/^$/nothing/'
}
{
  for name in open suppressed absent passed; do
    status=0
    sarif --check error summary $name.sarif >summary 2>/dev/null || status=$?
    echo "$name: $(grep '^error: ' summary), status $status"
  done
  echo "all: $(names)"
  echo "the filter: $(names --filter plain.yml)"
  echo "the filter with default-include: false: $(names --filter option.yml)"
  sarif codeclimate --output quality.json all.sarif >/dev/null
  echo "codeclimate: $(grep -o '"description": *"[a-z]*"' quality.json | cut -d'"' -f4 | sort | xargs)"
} | tee seen
cat >expected <<'END'
open: error: 1, status 1
suppressed: error: 1, status 1
absent: error: 1, status 1
passed: error: 0, status 0
all: absent open passed suppressed
the filter: nothing
the filter with default-include: false: absent open passed
codeclimate: absent open passed suppressed
END
diff seen expected
