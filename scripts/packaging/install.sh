#!/bin/sh
# Installs Raclette below PREFIX (/usr/local), or removes it from there.
#   [PREFIX=/usr/local] ./install.sh [--uninstall]
set -eu
cd "$(dirname "$0")"
prefix=${PREFIX:-/usr/local}

case ${1:-} in
'' | --uninstall) ;;
*)
  sed -n '2,3s/^# *//p' "$0" >&2
  exit 2
  ;;
esac

files=$(find bin share -type f | sort)
if [ "${1:-}" = --uninstall ]; then
  for file in $files; do rm -f "$prefix/$file"; done
  for folder in share/doc/raclette; do rmdir "$prefix/$folder" 2>/dev/null || true; done
  echo "removed raclette from $prefix"
  exit 0
fi
for file in $files; do
  mkdir -p "$prefix/$(dirname "$file")"
  # Beside the old file first: one that is executed meanwhile stays whole.
  cp "$file" "$prefix/$file.new"
  mv "$prefix/$file.new" "$prefix/$file"
done
if ! message=$("$prefix/bin/raclette" --version 2>&1); then
  echo "$message" >&2
  echo "raclette needs the shared library of Lua 5.4 (Debian: liblua5.4-0, Fedora: lua-libs)" >&2
  exit 1
fi
echo "installed $message in $prefix"
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "$prefix/bin is not in PATH" ;;
esac
