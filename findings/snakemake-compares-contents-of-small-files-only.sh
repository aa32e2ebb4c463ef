#!/bin/sh
# snakemake 9.27.1 beside doit 0.37.0 (PyPI), make 4.3 (Debian 12, installed).
# Behaviour: snakemake goes by times, and asks for the content only when an input is newer: one of up to 1000000
#   bytes that is newer and equal executes nothing, a larger one does. Other content with an earlier time, as `mv`,
#   `cp -p` and archives leave it, is not noticed at any size, although the checksum of a small file is on record.
#   make goes by times alone, doit by contents alone.
# Expected: one of the two; a checksum that is kept is compared.
# Who meets it: pipelines that are tried with samples before they get the data: a new clone or a restored cache
#   executes nothing in the trial, and everything, for days, with files of real size. Who puts an earlier
#   version of an input back keeps the results of the later one.
set -eu
command -v make >/dev/null || { echo "make is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q snakemake==9.27.1 doit==0.37.0
cd "$work"
unset MAKEFLAGS MFLAGS || true
cat >Snakefile <<'END'
rule:
    input: "in"
    output: "out-snakemake"
    shell: "wc -c <in >out-snakemake; echo snakemake >>log"
END
cat >Makefile <<'END'
out-make: in
	@wc -c <in >out-make; echo make >>log
END
cat >dodo.py <<'END'
def task_out():
    return {"file_dep": ["in"], "targets": ["out-doit"], "actions": ["wc -c <in >out-doit; echo doit >>log"]}
END
export XDG_CACHE_HOME="$work/cache"
run() {
  rm -f log
  timeout 60 env/bin/snakemake --cores 1 out-snakemake >errors 2>&1 || tail -3 errors
  timeout 60 make -s out-make
  timeout 60 env/bin/doit -v 0 out >errors || tail -3 errors
  echo "$1:" $(cat log 2>/dev/null)
}
for size in 1000000 1000001; do
  echo "$size bytes"
  rm -rf .snakemake .doit.db* out-*
  head -c $size /dev/zero >in
  touch -d '2 hours ago' in
  run "  the first time"
  run "  as it was"
  sleep 1.1
  touch in
  run "  a later time"
  head -c $size /dev/zero | tr '\0' x >in
  touch -d '1 hour ago' in
  run "  other content, an earlier time"
done | tee seen
cat >expected <<'END'
1000000 bytes
  the first time: snakemake make doit
  as it was:
  a later time: make
  other content, an earlier time: doit
1000001 bytes
  the first time: snakemake make doit
  as it was:
  a later time: snakemake make
  other content, an earlier time: doit
END
diff seen expected
