#!/bin/sh
# doit 0.37.0 and DVC 3.67.1 beside ninja 1.13.2 and go-task 3.54.0 (PyPI ninja, go-task-bin).
# Behaviour: doit and DVC take the digests of the inputs when the command has ended. An input that is
#   edited while the command runs is recorded with its new content beside the output of the old one, and
#   both say from then on that nothing is to be done. ninja and task execute the command again.
# Expected: the record has the content that was there before the command started, or none at all.
# Who meets it: whoever goes on typing during a long step, and steps of which one rewrites the input of
#   another: the output stays old until the next edit, and `--force` is the only way out.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q doit==0.37.0 dvc==3.67.1 ninja==1.13.2 go-task-bin==3.54.0
export HOME="$work" DVC_SITE_CACHE_DIR="$work/site" DVC_NO_ANALYTICS=1 PATH="$work/env/bin:$PATH"
mkdir "$work/project"
cd "$work/project"
cat >step.sh <<'END'
cp in out
touch begun
while [ ! -e edited ]; do sleep 0.1; done
END
cat >dodo.py <<'END'
def task_out():
    return {"actions": ["sh step.sh"], "file_dep": ["in"], "targets": ["out"]}
END
cat >dvc.yaml <<'END'
stages:
  out:
    cmd: sh step.sh
    deps: [in]
    outs: [out]
END
cat >build.ninja <<'END'
rule step
  command = sh step.sh
build out: step in
END
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  out:
    sources: [in]
    generates: [out]
    cmds: [sh step.sh]
END
dvc init -q --no-scm
for tool in "doit" "dvc repro" "ninja" "task out"; do
  rm -f begun edited out
  echo one >in
  $tool >said 2>&1 &
  while [ ! -e begun ]; do sleep 0.1; done
  echo two >in
  touch edited
  wait $!
  $tool >said 2>&1
  echo "${tool%% *}: input $(cat in), output $(cat out)"
done | tee "$work/seen"
cat >"$work/expected" <<'END'
doit: input two, output one
dvc: input two, output one
ninja: input two, output two
task: input two, output two
END
diff "$work/seen" "$work/expected"
