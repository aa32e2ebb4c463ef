#!/bin/sh
# bmake 20200710 (Debian 12).
# Behaviour: without -j each line of a recipe has a shell of its own; with -j, even -j1, one shell gets
#   all lines of the recipe. `cd` and variables then last to its end, and a line that ends with `exit 0`
#   ends the recipe with success. -j2 -B goes back to a shell for each line.
# Expected: -j says how many recipes run side by side, and nothing about what a line means.
# Who meets it: recipes written with GNU make, or with bmake and no -j: files land in another folder in
#   CI, which sets -j, and `test -e x && exit 0` skips the rest there.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download bmake=20200710-15+b1 >/dev/null 2>&1
dpkg -x bmake_*.deb root
mkdir sub
cat >Makefile <<'END'
all:
	@cd sub && true
	@echo "in $$(basename "$$(pwd)")"
	@value=set; true
	@echo "variable $${value:-unset}"
	@[ ! -d / ] || exit 0
	@echo "last line"
END
for options in "" -j1 -j2 "-j2 -B"; do
  echo "bmake $options:" $(root/usr/bin/bmake -m "$work/root/usr/share/bmake/mk-bmake" $options | grep -v '^---' | sed "s/$(basename "$work")/top/")
done | tee seen
cat >expected <<'END'
bmake : in top variable unset last line
bmake -j1: in sub variable set
bmake -j2: in sub variable set
bmake -j2 -B: in top variable unset last line
END
diff seen expected
