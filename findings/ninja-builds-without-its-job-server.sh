#!/bin/sh
# ninja 1.13.2 of PyPI (1.13.2.git.kitware.jobserver-pipe-1) under GNU make 4.3 (Debian 12).
# Behaviour: in a recipe without `+` make closes the descriptors of its job server but still names
#   them in MAKEFLAGS. ninja prints `ninja: error: Could not initialize jobserver: Invalid file
#   descriptors`, then builds as if it were alone and exits with 0: more edges at once than `-j`.
# Expected: an error that ends it, or a warning; upstream's 1.13 takes no pipes at all.
# Who meets it: whoever calls cmake or meson from a Makefile and greps the log for `error:`, and
#   whoever trusts `make -j2` to bound memory.
set -eu
command -v make >/dev/null || { echo "make is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q ninja==1.13.2
cd "$work"
# Each edge counts the edges that run beside it.
cat >build.ninja <<'END'
rule edge
  command = mkdir run/$out; sleep 0.5; ls run | wc -l >$out; sleep 0.5; rmdir run/$out
END
for n in 1 2 3 4; do echo "build e$n: edge" >>build.ninja; done
printf 'alone:\n\t%s\njoined:\n\t+%s\n' "$work/env/bin/ninja" "$work/env/bin/ninja" >Makefile
for target in alone joined; do
  rm -rf e? run .ninja_log
  mkdir run
  status=0
  env -u MAKEFLAGS make -j2 "$target" >log 2>&1 || status=$?
  echo "$target: status $status, at most $(cat e? | sort -n | tail -1) at once," \
    "says error: $(grep -c '^ninja: error' log || true)"
done | tee seen
grep -q '^joined: status 0, at most 2 at once, says error: 0$' seen
grep -Eq '^alone: status 0, at most [34] at once, says error: 1$' seen
