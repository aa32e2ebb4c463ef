#!/bin/sh
# lefthook 2.2.2 beside prek 0.5.11 (PyPI) and git 2.39.5 (Debian 12, installed).
# Behaviour: in a `glob` of lefthook `**` stands for at least one folder: `**/*.py` leaves out what is at the top, and
#   `src/**/*.py` what is right in src. A job without files is skipped, and the hook passes. `glob:` of prek and
#   `:(glob)` of git have those files. `*` goes across folders, in prek too: `src/*.py` has src/a/part.py.
#   `glob_matcher: doublestar` in lefthook.yml makes both mean what they mean to git.
# Expected: `**/` is any number of folders, none as well, as in git, bash, .gitignore and CI's lists of paths.
# Who meets it: hooks that were written with the habits of other tools: setup.py, conftest.py and the modules right
#   in src are never checked or formatted, and a commit of such files alone passes each check.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q lefthook==2.2.2 prek==0.5.11
cd "$work"
export HOME="$work" PATH="$work/env/bin:$PATH"
mkdir project
cd project
git init -q
mkdir -p src/a
touch setup.py src/main.py src/a/part.py
git add .
seen_by() { tr ' ' '\n' | grep '\.py$' | sort | xargs; }
lefthook_with() { # pattern, matcher or nothing
  cat >lefthook.yml <<END
${2:+glob_matcher: $2}
pre-commit:
  jobs:
    - {name: show, glob: "$1", run: "echo {staged_files}"}
END
  status=0
  lefthook run pre-commit >log 2>&1 || status=$?
  echo "  lefthook${2:+, $2}: $(seen_by <log), status $status"
}
{
  for pattern in '**/*.py' 'src/**/*.py' 'src/*.py'; do
    echo "$pattern"
    lefthook_with "$pattern" gobwas
    lefthook_with "$pattern" doublestar
    cat >.pre-commit-config.yaml <<END
repos:
  - repo: local
    hooks:
      - {id: show, name: show, language: system, entry: echo, files: {glob: "$pattern"}, verbose: true}
END
    echo "  prek: $(prek run --all-files 2>&1 | seen_by)"
    echo "  git: $(git ls-files -- ":(glob)$pattern" | seen_by)"
  done
  echo "**/*.py, no glob_matcher"
  lefthook_with '**/*.py' ""
} | tee ../seen
cat >../expected <<'END'
**/*.py
  lefthook, gobwas: src/a/part.py src/main.py, status 0
  lefthook, doublestar: setup.py src/a/part.py src/main.py, status 0
  prek: setup.py src/a/part.py src/main.py
  git: setup.py src/a/part.py src/main.py
src/**/*.py
  lefthook, gobwas: src/a/part.py, status 0
  lefthook, doublestar: src/a/part.py src/main.py, status 0
  prek: src/a/part.py src/main.py
  git: src/a/part.py src/main.py
src/*.py
  lefthook, gobwas: src/a/part.py src/main.py, status 0
  lefthook, doublestar: src/main.py, status 0
  prek: src/a/part.py src/main.py
  git: src/main.py
**/*.py, no glob_matcher
  lefthook: src/a/part.py src/main.py, status 0
END
diff ../seen ../expected
