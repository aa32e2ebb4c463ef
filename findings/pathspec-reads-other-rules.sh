#!/bin/sh
# pathspec 1.1.1 (PyPI) beside git 2.39 (Debian 12).
# Behaviour: `GitIgnoreSpec` reads a POSIX class as a plain set of letters, so that
#   `[[:digit:]]*.log` ignores nothing, and takes `?` for one character where git takes one byte:
#   `?.txt` ignores `é.txt` here and not there.
# Expected: the class that is named after .gitignore selects the files that git selects.
# Who meets it: build tools, formatters and watchers in Python that leave out "what git ignores" with
#   this library (black, hatchling, dvc): they read, package or watch files that git does not track.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pathspec==1.1.1
git init -q "$work/tree"
cd "$work/tree"
export LC_ALL=C.UTF-8
check() { # rule, file
  printf '%s\n' "$1" >.gitignore
  : >"$2"
  by_git=no
  git check-ignore -q -- "$2" && by_git=yes
  by_pathspec=$("$work/env/bin/python" -W ignore -c '
import sys, pathspec
rules = pathspec.GitIgnoreSpec.from_lines([sys.argv[1]])
print("yes" if rules.match_file(sys.argv[2]) else "no")' "$1" "$2")
  echo "$1 ignores $2: git $by_git, pathspec $by_pathspec"
}
{ check '[[:digit:]]*.log' 7.log; check '?.txt' é.txt; check '[0-9]*.log' 7.log; } | tee "$work/seen"
cat >"$work/expected" <<'END'
[[:digit:]]*.log ignores 7.log: git yes, pathspec no
?.txt ignores é.txt: git no, pathspec yes
[0-9]*.log ignores 7.log: git yes, pathspec yes
END
cmp "$work/seen" "$work/expected"
