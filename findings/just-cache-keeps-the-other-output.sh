#!/bin/sh
# just 1.59.0 (PyPI rust-just), the unstable attribute [cache].
# Behaviour: an input that is changed, built and put back skips the recipe, as its key is known, and
#   leaves the output of the other input in place. An output that was edited by hand stays as well.
# Expected: a cache restores the output that belongs to the key, or executes the recipe.
# Who meets it: whoever switches branches back and forth: the second build of the first branch says
#   nothing, takes no time, and the file is that of the other branch.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q rust-just==1.59.0
cd "$work"
cat >justfile <<'END'
set unstable
[cache(inputs="source", outputs="built")]
[script("sh")]
build:
    cp source built; echo executed
END
build() { # what has happened
  said=$("$work/env/bin/just" build 2>&1)
  echo "$1: ${said:-skipped}, source $(cat source), built $(cat built)"
}
{
  echo one >source; build "first"
  echo two >source; build "other branch"
  echo one >source; build "back"
  echo by-hand >built; build "edited output"
  rm built; build "removed output"
} | tee seen
cat >expected <<'END'
first: executed, source one, built one
other branch: executed, source two, built two
back: skipped, source one, built two
edited output: skipped, source one, built by-hand
removed output: executed, source one, built one
END
diff seen expected
