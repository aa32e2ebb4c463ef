#!/bin/sh
# tox 4.67.13 and nox 2026.10.20 (PyPI).
# Behaviour: INT ends the command that runs, as their options for interrupts say. TERM to tox or nox
#   alone ends only these, with 143: the command gets no signal and goes on without its parent.
# Expected: TERM ends the command as INT does.
# Who meets it: `timeout 600 tox`, supervisors and agents that end one process: the next run of the
#   same tests meets the old one, which still has the port, the database or the output folder.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q tox==4.67.13 nox==2026.10.20
cd "$work"
cat >tests.sh <<'END'
#!/bin/sh
echo $$ >number
mv number begun
sleep 4
touch finished
END
chmod +x tests.sh
cat >tox.ini <<'END'
[tox]
no_package = true
[testenv:tests]
skip_install = true
allowlist_externals = *
commands = ./tests.sh
END
cat >noxfile.py <<'END'
import nox

@nox.session(venv_backend="none")
def tests(session):
    session.run("./tests.sh", external=True)
END
for runner in "tox -e tests" "nox -s tests"; do
  for signal in INT TERM; do
    rm -f begun finished
    # A shell starts what is in the background with INT ignored.
    python3 -c "import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.setsid()
os.execv(sys.argv[1], sys.argv[1:])" "$work/env/bin/"$runner >said 2>&1 &
    process=$!
    while [ ! -e begun ]; do sleep 0.1; done
    kill "-$signal" $process
    status=0
    wait $process || status=$?
    while kill -0 "$(cat begun)" 2>/dev/null; do sleep 0.1; done
    echo "${runner%% *} $signal: $([ $status -eq 143 ] && echo "status 143, ")the command $([ -e finished ] && echo went on || echo ended)"
  done
done | tee seen
cat >expected <<'END'
tox INT: the command ended
tox TERM: status 143, the command went on
nox INT: the command ended
nox TERM: status 143, the command went on
END
diff seen expected
