#!/bin/sh
# DVC 3.67.1 (PyPI).
# Behaviour: of an output that is a folder DVC keeps the names and contents of its files. What comes back from
#   the cache lacks the executable bit, empty folders are missing, and a link is a file, which it becomes right
#   after the stage has written it. An output that is a file keeps the bit: dvc.lock has `isexec` for it.
#   `dvc status` says "up to date" all along, so the stage is not executed again.
# Expected: what a stage has written comes back as it was, in a folder as well as alone, or `dvc status` notices.
# Who meets it: stages that build or unpack tools, environments and packages, `outs: [dist]`: it works where the
#   stage was executed and fails with "Permission denied" for a colleague or in CI after `dvc pull`, and on the
#   same machine after a switch of branches.
set -eu
command -v git >/dev/null || { echo "git is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q dvc==3.67.1
mkdir "$work/project"
cd "$work/project"
export DVC_NO_ANALYTICS=1 DVC_SITE_CACHE_DIR="$work/site" DVC_GLOBAL_CONFIG_DIR="$work/global" \
  DVC_SYSTEM_CONFIG_DIR="$work/system" GIT_CONFIG_GLOBAL=/dev/null
umask 022
git init -q
dvc() {
  ../env/bin/dvc "$@" 2>&1
}
dvc init -q
cat >build.sh <<'END'
rm -rf dist
mkdir -p dist/logs
printf '#!/bin/sh\necho works\n' >dist/tool
chmod 755 dist/tool
ln -s tool dist/latest
cp dist/tool tool
END
cat >dvc.yaml <<'END'
stages:
  build:
    cmd: sh build.sh
    deps: [build.sh]
    outs: [dist, tool]
END
look() {
  echo "$1:"
  find dist tool -printf '  %y %m %p %l\n' | LC_ALL=C sort -k3 | sed 's/ $//'
  echo "  dist/tool: $(dist/tool 2>&1 | sed 's/.*: //')"
}
{
  sh build.sh
  look "the command alone"
  rm -rf dist tool
  dvc repro -q
  look "dvc repro"
  rm -rf dist tool
  dvc checkout -q
  look "dvc checkout"
  dvc status
  rm -rf dist tool
  dvc repro | grep -o 'Stage.*'
  look "dvc repro, from the cache"
} | tee ../seen
cat >../expected <<'END'
the command alone:
  d 755 dist
  l 777 dist/latest tool
  d 755 dist/logs
  f 755 dist/tool
  f 755 tool
  dist/tool: works
dvc repro:
  d 755 dist
  f 644 dist/latest
  d 755 dist/logs
  f 755 dist/tool
  f 744 tool
  dist/tool: works
dvc checkout:
  d 755 dist
  f 644 dist/latest
  f 644 dist/tool
  f 744 tool
  dist/tool: Permission denied
Data and pipelines are up to date.
Stage 'build' is cached - skipping run, checking out outputs
dvc repro, from the cache:
  d 755 dist
  f 644 dist/latest
  f 644 dist/tool
  f 744 tool
  dist/tool: Permission denied
END
diff ../seen ../expected
