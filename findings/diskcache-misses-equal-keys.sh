#!/bin/sh
# diskcache 5.6.3 (PyPI), Python 3.11.
# Behaviour: a tuple as a key is stored pickled, and pickle writes an object that occurs twice as a
#   reference to the first. So `(a, a)` and `(a, b)` are two keys where a and b are equal strings but
#   not the same object. `memoize` makes its keys so: a call with equal arguments is computed again,
#   and a value that was stored is not found, though the keys compare equal.
# Expected: equal keys find the same value, as in a dict and `functools.lru_cache`.
# Who meets it: caches shared by processes or kept between runs, keyed by a pair such as old and new
#   version or source and target: whether two equal names are one object depends on where they came
#   from, a literal or a file, so the second process computes again what the first has stored.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q diskcache==5.6.3
cd "$work"
cat >trial.py <<'END'
import functools, json, diskcache

cache = diskcache.Cache("cache")
calls = 0

def count(old, new):
    global calls
    calls += 1

kept, in_memory = cache.memoize()(count), functools.lru_cache(count)
old, new = json.loads('["1.0-rc", "1.0-rc"]')
print("equal:", (old, old) == (old, new), "same object:", old is new)
cache[old, old] = "value"
print("same object:", cache.get((old, old)), "equal object:", cache.get((old, new)))

def trial(name, function):
    global calls
    calls = 0
    for pair in (old, old), (old, new), (new, new), (new, old):
        function(*pair)
    print(f"{name}: 4 equal calls, {calls} executed")

trial("memoize", kept)
trial("lru_cache", in_memory)
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
equal: True same object: False
same object: value equal object: None
memoize: 4 equal calls, 2 executed
lru_cache: 4 equal calls, 1 executed
END
diff seen expected
