#!/bin/sh
# joblib 1.6.0 (PyPI), Python 3.11.
# Behaviour: the results of a function that `Memory` caches lie in one folder, beside the text of the
#   function. A call with another text, which a comment is enough for, deletes all of them, those of other
#   arguments too. When the first text comes back everything is computed again, and processes
#   with two versions take turns in deleting what the other has stored. Nothing is said unless `verbose`
#   is above 0.
# Expected: the text is a part of the key, as with compiler caches: what was computed with it is found
#   again when it comes back, and another version harms nobody.
# Who meets it: caches of hours of work: one look at a colleague's branch, a `git stash`, a bisection or a
#   print for debugging, and the results are gone; with a shared folder one user's edit costs everybody's.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q joblib==1.6.0
cd "$work"
cat >main.py <<'END'
import sys, joblib, steps

step = joblib.Memory("cache", verbose=0).cache(steps.step)
for argument in sys.argv[2:]:
    step(int(argument))
print(f"{sys.argv[1]}, arguments {' '.join(sys.argv[2:])}: {steps.computed} computed")
END
version() { # its name, the line of the function, the arguments
  printf 'computed = 0\n\ndef step(x):\n    global computed\n    computed += 1\n    %s\n' "$2" >steps.py
  name=$1
  shift 2
  "$work/env/bin/python" -B main.py "$name" "$@"
}
{
  version first 'return x + 1' 1 2 3
  version first 'return x + 1' 1 2 3
  version second 'return x + 2' 1
  version first 'return x + 1' 1 2 3
  version 'first with a comment' 'return x + 1  # one more' 3
  version first 'return x + 1' 1 2 3
} | tee seen
cat >expected <<'END'
first, arguments 1 2 3: 3 computed
first, arguments 1 2 3: 0 computed
second, arguments 1: 1 computed
first, arguments 1 2 3: 3 computed
first with a comment, arguments 3: 1 computed
first, arguments 1 2 3: 3 computed
END
diff seen expected
