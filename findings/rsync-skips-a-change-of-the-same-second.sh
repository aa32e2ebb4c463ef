#!/bin/sh
# rsync 3.5.0 (Debian 12, 3.5.0+ds1-0+deb12u1) beside cp -u of coreutils 9.1 and make 4.3 (Debian 12, installed).
# Behaviour: rsync takes a file for unchanged when size and time are equal, and compares whole seconds, although it
#   copies the times with their nanoseconds. A file that is written twice within a second, with as many
#   bytes, is left as it was by this and each later rsync: the other side has the old content, without a message,
#   and the two times differ in `stat`. `--modify-window=-1` compares the nanoseconds, `--checksum` the content.
# Expected: a time that was copied to the nanosecond is compared to the nanosecond.
# Who meets it: loops that build and copy at each change, generators and tests: a digest, a version, a port or a flag
#   of one character has other content and the same size, and the second save comes soon after the
#   first. `make` and `cp -u` see it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download rsync=3.5.0+ds1-0+deb12u1 >/dev/null 2>&1
dpkg -x rsync_*.deb root
mkdir here
save() { # content, part of a second
  echo "$1" >here/file
  touch -d "2026-01-01 10:00:00.$2" here/file
}
copy() { # label, command
  label=$1
  shift
  rm -rf there
  save 1 100000000
  root/usr/bin/rsync --archive here/ there/
  save 2 900000000
  "$@"
  "$@"
  echo "$label: $(cat there/file), time $(stat -c %y there/file | cut -c18-21)"
}
{
  copy "rsync" root/usr/bin/rsync --archive here/ there/
  copy "rsync --modify-window=-1" root/usr/bin/rsync --archive --modify-window=-1 here/ there/
  copy "rsync --checksum" root/usr/bin/rsync --archive --checksum here/ there/
  copy "cp -u" cp --update --preserve=timestamps here/file there/file
} | tee seen
cat >expected <<'END'
rsync: 1, time 00.1
rsync --modify-window=-1: 2, time 00.9
rsync --checksum: 2, time 00.9
cp -u: 2, time 00.9
END
diff seen expected
