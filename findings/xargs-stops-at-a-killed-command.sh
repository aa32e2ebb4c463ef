#!/bin/sh
# xargs of findutils 4.9.0 beside GNU parallel 20221122 (Debian 12, installed).
# Behaviour: xargs goes on after a command that fails, and exits with 123 at the end. After a command that was ended
#   by a signal it starts no other one, with -P as well, and exits with 125. parallel executes all of them.
# Expected: a killed command counts as a failed one; what to do with the others is the same question.
# Who meets it: `find | xargs -n1 -P8 convert` and the like, with one large file among thousands, which the
#   out-of-memory killer ends, or one that crashes the converter: the rest of the list is left out, and
#   which part that is depends on where the file stood. Within `sh -c` the status of a killed program is 137, and
#   the rest is executed.
set -eu
for program in xargs parallel; do
  command -v $program >/dev/null || { echo "$program is missing" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PARALLEL_HOME="$work/home"
mkdir home
cat >command <<'END'
#!/bin/sh
# Ends as its first argument says for the second file.
case $1,$2 in
  fail,2) exit 3 ;;
  kill,2) kill -KILL $$ ;;
esac
[ "$2" -lt 3 ] || sleep 0.1
echo "$2" >>executed
END
chmod +x command
trial() { # label, program with its options
  label=$1
  shift
  : >executed
  status=0
  seq 6 | "$@" 2>messages || status=$?
  echo "$label: executed $(sort executed | xargs), status $status"
}
{
  trial "xargs, 2 fails" xargs -n1 ./command fail
  trial "xargs, 2 is killed" xargs -n1 ./command kill
  trial "xargs, 2 is killed in a shell" xargs -n1 sh -c './command kill "$0"; exit $?'
  trial "parallel, 2 is killed" parallel -j1 ./command kill
  trial "xargs -P2, 2 fails" xargs -P2 -n1 ./command fail
  # How many had begun when it was noticed that the second was killed is a race.
  trial "xargs -P2, 2 is killed" xargs -P2 -n1 ./command kill >many
  echo "xargs -P2, 2 is killed: $([ "$(wc -l <executed)" -lt 5 ] && echo "not all of the rest")," \
    "$(sed 's/.*, //' many)"
} | tee seen
cat >expected <<'END'
xargs, 2 fails: executed 1 3 4 5 6, status 123
xargs, 2 is killed: executed 1, status 125
xargs, 2 is killed in a shell: executed 1 3 4 5 6, status 123
parallel, 2 is killed: executed 1 3 4 5 6, status 1
xargs -P2, 2 fails: executed 1 3 4 5 6, status 123
xargs -P2, 2 is killed: not all of the rest, status 125
END
diff seen expected
