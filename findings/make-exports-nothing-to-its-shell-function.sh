#!/bin/sh
# GNU make 4.3 (Debian 12, installed) beside bmake 20200710 (Debian 12).
# Behaviour: variables that a Makefile exports are in the environment of the recipes, and not in that of `$(shell)`: it
#   gets what make was started with, so nothing, or an older value of the same name. One that is set on the command
#   line, `make STAGE=line`, is not there either. `!=` is `$(shell)` in this. bmake has its exported variable there.
# Expected: `export` is for the commands that make starts, whichever they are.
# Who meets it: Makefiles with `export PATH := $(PWD)/tools:$(PATH)` or `export GIT_DIR`, VERSION, STAGE: the recipes have
#   the tools, `$(shell tool --version)` has another tool or none, and its failure stops nothing. In a shell that
#   has exported the name by hand it is right. GNU make 4.4 has changed it.
set -eu
command -v make >/dev/null || { echo "make is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download bmake=20200710-15+b1 >/dev/null 2>&1
dpkg -x bmake_*.deb root
unset STAGE MAKEFLAGS
cat >Makefile <<'END'
export STAGE = makefile
function := $(shell echo "[$$STAGE]")
assigned != echo "[$$STAGE]"
all:
	@echo "shell function $(function), != $(assigned), within the recipe $(shell echo "[$$STAGE]"), recipe [$$STAGE]"
END
cat >bsd.mk <<'END'
STAGE = makefile
.export STAGE
assigned != echo "[$$STAGE]"
all:
	@echo "!= ${assigned}, recipe [$$STAGE]"
END
{
  echo "make: $(make -s)"
  echo "STAGE=shell make: $(STAGE=shell make -s)"
  echo "make STAGE=line: $(make -s STAGE=line)"
  echo "bmake: $(root/usr/bin/bmake -m root/usr/share/mk -s -f bsd.mk)"
} | tee seen
cat >expected <<'END'
make: shell function [], != [], within the recipe [], recipe [makefile]
STAGE=shell make: shell function [shell], != [shell], within the recipe [shell], recipe [makefile]
make STAGE=line: shell function [], != [], within the recipe [], recipe [line]
bmake: != [makefile], recipe [makefile]
END
diff seen expected
