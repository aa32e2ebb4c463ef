#!/bin/sh
# GNU parallel 20221122 (Debian 12).
# Behaviour: --resume with --joblog leaves out the jobs whose numbers the log has, whatever they do:
#   a list in another order, or with a line put in front, executes a job twice and another one never.
#   --resume-failed does the same. The log's column `Command` is not compared.
# Expected: a job that has not succeeded is executed, as the log has the command of each.
# Who meets it: whoever makes the list anew before resuming (find, ls -t, a query without ORDER BY).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download parallel=20221122+ds-2 >/dev/null
dpkg -x parallel_*.deb root
parallel() { perl "$work/root/usr/bin/parallel" --will-cite -j1 --joblog log "$@"; }
printf '%s\n' b c | parallel 'echo {} >>done'
printf '%s\n' a b c | parallel --resume 'echo {} >>done'
echo "executed: $(tr '\n' ' ' <done)"
[ "$(tr '\n' ' ' <done)" = "b c c " ]
