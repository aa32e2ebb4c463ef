#!/bin/sh
# go-task 3.54.0 beside poethepoet 0.49.0 and just 1.59.0 (PyPI go-task-bin, rust-just).
# Behaviour: a key that task does not know is dropped without a word, also at the place where another
#   thing of that name is known: `precondition` for `preconditions`, `require`, `dep`, `plattforms` of a
#   command, and `timeout` of a task, which belongs to a command. The task executes, with status 0. poe
#   refuses the file, just the attribute.
# Expected: a Taskfile with an unknown key is an error, above all where the key would have held back
#   the task.
# Who meets it: who guards a deployment and never sees the guard fail, and who writes a key that a later
#   version has for a colleague with an earlier one: there it does nothing. The schema for editors
#   finds it, `task` itself does not.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q go-task-bin==3.54.0 poethepoet==0.49.0 rust-just==1.59.0
cd "$work"
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  right:
    preconditions: ['false']
    cmds: [echo deployed]
  precondition:
    precondition: ['false']
    cmds: [echo deployed]
  require:
    require: {vars: [TOKEN]}
    cmds: [echo deployed]
  dep:
    dep: [right]
    cmds: [echo deployed]
  platforms:
    cmds:
      - cmd: echo deployed
        plattforms: [windows]
  timeout:
    timeout: 1s
    cmds: [sleep 2; echo deployed]
  timeout_of_command:
    cmds:
      - cmd: sleep 2; echo deployed
        timeout: 1s
END
printf '[project]\nname = "project"\n[tool.poe.tasks]\nshow = { cmd = "echo deployed", dep = ["x"] }\n' >pyproject.toml
printf '[confrm]\nshow:\n    @echo deployed\n' >justfile
trial() {
  said=$("$work/env/bin/$@" 2>/dev/null </dev/null) && status=0 || status=$?
  echo "$*: $(echo "$said" | grep -x deployed || echo nothing), $([ $status -eq 0 ] && echo status 0 || echo an error)"
}
{
  for name in right precondition require dep platforms timeout timeout_of_command; do
    trial task -s $name
  done
  trial poe -q show
  trial just show
} | tee seen
cat >expected <<'END'
task -s right: nothing, an error
task -s precondition: deployed, status 0
task -s require: deployed, status 0
task -s dep: deployed, status 0
task -s platforms: deployed, status 0
task -s timeout: deployed, status 0
task -s timeout_of_command: nothing, an error
poe -q show: nothing, an error
just show: nothing, an error
END
diff seen expected
