#!/bin/sh
# ninja 1.13.2 (PyPI).
# Behaviour: for an edge whose rule has `generator = 1`, ninja goes by times alone as long as its log has no entry of it,
#   and a failure writes none. If the step that makes build.ninja fails after it has begun to write the file, the next
#   ninja takes what is there for the new one: "no work to do", status 0, without the targets of the rest.
#   Without `generator` the step is executed again, and fails again.
# Expected: a step that failed is executed again, as ninja promises for all edges.
# Who meets it: projects with a configure script that writes build.ninja in place, as ninja's own `ninja_syntax` does, on
#   the first change after it was executed by hand, which is what each clone and each CI job begins with: the second
#   try is green, and libraries and tests that come late in the file are not built.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q ninja==1.13.2
export PATH="$work/env/bin:$PATH"
cd "$work"
# A target for each line of the list, up to one that it cannot do.
cat >configure <<'END'
{
  echo "rule configure"
  echo "  command = sh configure $1"
  [ -z "$1" ] || echo "  $1"
  echo "rule copy"
  echo "  command = cp \$in \$out"
  echo "build build.ninja: configure | list"
  while read -r name; do
    [ "$name" != wrong ] || exit 1
    echo "build out/$name: copy $name"
  done <list
} >build.ninja
END
step() { # label
  status=0
  ninja >log 2>&1 || status=$?
  echo "  $1: status $status, $(sed -n 's/^ninja: error: \(.*\)/\1, /p' log)built $(ls out 2>/dev/null | xargs)"
}
touch first second
for generator in "generator=1" ""; do
  echo "${generator:-no generator}"
  rm -rf out .ninja_log build.ninja
  printf 'first\nsecond\n' >list
  sh configure "$generator"
  step "as it was"
  rm -rf out
  sleep 0.1
  printf 'first\nwrong\nsecond\n' >list
  step "a list with a mistake"
  step "again"
done | tee seen
cat >expected <<'END'
generator=1
  as it was: status 0, built first second
  a list with a mistake: status 1, rebuilding 'build.ninja': subcommand failed, built 
  again: status 0, built first
no generator
  as it was: status 0, built first second
  a list with a mistake: status 1, rebuilding 'build.ninja': subcommand failed, built 
  again: status 1, rebuilding 'build.ninja': subcommand failed, built 
END
diff seen expected
