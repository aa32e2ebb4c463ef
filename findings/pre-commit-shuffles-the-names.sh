#!/bin/sh
# pre-commit 4.7.0 and prek 0.5.11 (PyPI), git 2.39.5 (Debian 12, installed).
# Behaviour: a hook gets the names of the files neither sorted nor as git lists them: pre-commit
#   shuffles them, always the same way, and prek likewise. `require_serial: true` sorts them in
#   pre-commit, and makes one call of several side by side; in prek the order stays.
# Expected: one call with the names in order, or several with consecutive ones.
# Who meets it: hooks that write one file from many (an index, a changelog, a merged schema), or whose
#   messages are compared: the result depends on the tool, and on the number of processors.
set -eu
command -v git >/dev/null || { echo "git is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pre-commit==4.7.0 prek==0.5.11
export HOME="$work" PATH="$work/env/bin:$PATH" CALLS="$work/calls"
mkdir "$work/project"
cd "$work/project"
git init -q
touch $(seq -f 'chapter%02g' 40)
cat >hook.sh <<'END'
echo "$@" >>"$CALLS"
END
write() { # whether it is serial
  cat >.pre-commit-config.yaml <<END
repos:
  - repo: local
    hooks:
      - {id: index, name: index, language: system, entry: sh hook.sh, files: ^chapter, require_serial: $1}
END
  git add .
}
for serial in false true; do
  write $serial
  for tool in pre-commit prek; do
    for time in first second; do
      rm -f "$CALLS"
      $tool run --all-files >/dev/null
      sort "$CALLS" >"$work/$time"
    done
    # Calls side by side end in any order, so that each is looked at alone.
    sorted=yes
    while read -r names; do
      printf '%s\n' $names | sort -c 2>/dev/null || sorted=no
    done <"$CALLS"
    echo "$tool, require_serial $serial: sorted $sorted, twice the same $(cmp -s "$work/first" "$work/second" && echo yes || echo no)"
  done
done | tee "$work/seen"
cat >"$work/expected" <<'END'
pre-commit, require_serial false: sorted no, twice the same yes
prek, require_serial false: sorted no, twice the same yes
pre-commit, require_serial true: sorted yes, twice the same yes
prek, require_serial true: sorted no, twice the same yes
END
diff "$work/seen" "$work/expected"
