#!/bin/sh
# deno 2.9.8 (PyPI) beside dash (Debian 12, installed), which is the `sh` that npm takes.
# Behaviour: `deno task` executes the scripts of package.json in a shell of its own. It expands `$NAME` and not
#   `${NAME}` or `${NAME:-default}`: the command gets these characters, with status 0. `$((1 + 2))` is taken
#   for a command, whose failure counts for nothing. A script waits for what it has put in the background
#   and fails with it. `{a,b}` is expanded, which sh does not do. What else it does not know, `if` for one, is an
#   error before anything is executed.
# Expected: a script means what it means to npm, or is refused as one with `if` is.
# Who meets it: projects whose scripts somebody executes with deno: `mkdir -p ${OUT:-dist}` makes a folder of that
#   name, `--port=${PORT}` is sent on, a clean-up cleans nothing, and all of them succeed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q deno==2.9.8
mkdir "$work/project"
cd "$work/project"
export DENO_DIR="$work/deno" DENO_NO_UPDATE_CHECK=1 NO_COLOR=1 OUT=public
cat >../lines <<'END'
echo $OUT
echo ${OUT}
echo "${OUT}/index.html"
echo ${PORT:-8080}
mkdir ${OUT:-dist}; ls
echo $((1 + 2))
sh -c 'exit 4' & echo started
echo {a,b}
if true; then echo yes; fi
END
while IFS= read -r line; do
  python3 -c 'import json, sys
json.dump({"name": "trial", "scripts": {"trial": sys.argv[1]}}, sys.stdout)' "$line" >package.json
  echo "$line"
  for shell in sh deno; do
    status=0
    case $shell in
      sh) sh -c "$line" </dev/null >../out 2>../error || status=$? ;;
      deno) ../env/bin/deno task -q trial </dev/null >../out 2>../error || status=$? ;;
    esac
    echo "  $shell: [$(grep -v package.json ../out | tr '\n' ' ' | sed 's/ $//')] status $status" \
      $(grep -o 'Unsupported reserved word\|command not found' ../error || true)
    find . -mindepth 1 -type d -exec rmdir {} +
  done
done <../lines | tee ../seen
cat >../expected <<'END'
echo $OUT
  sh: [public] status 0
  deno: [public] status 0
echo ${OUT}
  sh: [public] status 0
  deno: [${OUT}] status 0
echo "${OUT}/index.html"
  sh: [public/index.html] status 0
  deno: [${OUT}/index.html] status 0
echo ${PORT:-8080}
  sh: [8080] status 0
  deno: [${PORT:-8080}] status 0
mkdir ${OUT:-dist}; ls
  sh: [public] status 0
  deno: [${OUT:-dist}] status 0
echo $((1 + 2))
  sh: [3] status 0
  deno: [] status 0 command not found
sh -c 'exit 4' & echo started
  sh: [started] status 0
  deno: [started] status 4
echo {a,b}
  sh: [{a,b}] status 0
  deno: [a b] status 0
if true; then echo yes; fi
  sh: [yes] status 0
  deno: [] status 1 Unsupported reserved word
END
diff ../seen ../expected
