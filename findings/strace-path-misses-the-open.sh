#!/bin/sh
# strace 6.1 (Debian 12, installed).
# Behaviour: `strace -P file` shows the calls whose argument is that very text, or the absolute path that strace has
#   made of it, and those on a descriptor of the file. A process that opens it by another text, `./file`, `../file`, or
#   a relative one where the absolute was asked for, is seen to read, write and close it, and not to open it. Calls
#   that have no descriptor, unlink, rename, stat and access, are not seen at all.
# Expected: a path selects calls on that file, however it is written, as it does for descriptors.
# Who meets it: who asks which command of a build deletes or replaces a file, `strace -f -P "$PWD/out" make`, in which
#   folders change and paths are relative: an empty trace, with status 0, says that nobody does.
set -eu
command -v strace >/dev/null || { echo "strace is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir sub
calls() { # path asked for, command
  echo 1 >file
  strace -f -qq -e signal=none -P "$1" -o trace sh -c "$2" 2>/dev/null >&2
  seen=$(sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' trace | grep -E '^(open|openat|read|write|close|unlink|unlinkat)$' | sort -u | xargs)
  echo "  $2: ${seen:-nothing}"
}
for path in file "$work/file"; do
  echo "-P $(echo "$path" | sed "s|$work|\$PWD|")"
  calls "$path" "head -c1 file"
  calls "$path" "head -c1 ./file"
  calls "$path" "cd sub; head -c1 ../file"
  calls "$path" "rm file"
  calls "$path" "rm ./file"
  calls "$path" "cd sub; rm ../file"
done | tee seen
cat >expected <<'END'
-P file
  head -c1 file: close openat read
  head -c1 ./file: close read
  cd sub; head -c1 ../file: close read
  rm file: unlinkat
  rm ./file: nothing
  cd sub; rm ../file: nothing
-P $PWD/file
  head -c1 file: close read
  head -c1 ./file: close read
  cd sub; head -c1 ../file: close read
  rm file: nothing
  rm ./file: nothing
  cd sub; rm ../file: nothing
END
diff seen expected
