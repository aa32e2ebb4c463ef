#!/bin/sh
# dogpile.cache 1.5.0 and Beaker 1.14.1 beside diskcache 5.6.3 (PyPI) and functools of Python 3.11.
# Behaviour: `cache_on_arguments` of dogpile.cache and `cache_region` of Beaker make the key of a call by turning each
#   argument into a text and joining these with blanks. So `f(1)` and `f("1")` are one call, `f(None)` and `f("None")`
#   are, and so are `f("unit test", "fast")` and `f("unit", "test fast")`: the second returns what was computed for the
#   first. A first parameter named `self` is left out, so that two objects with different settings share the results of
#   a method. With `to_str=repr` dogpile.cache tells texts and types apart, but not objects. diskcache and `lru_cache`
#   tell all of them apart.
# Expected: a call is looked up by its arguments: two calls that can return different values have two keys.
# Who meets it: functions of two texts that may have blanks, as a folder and a name, or a title and a word to search;
#   ids that are numbers in the database and texts in a request; clients with an address in `self`.
#   Examples and tests have one argument and one object.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q dogpile.cache==1.5.0 Beaker==1.14.1 diskcache==5.6.3
cd "$work"
cat >calls.py <<'END'
import functools

import diskcache
from beaker.cache import cache_region, cache_regions
from dogpile.cache import make_region

region = make_region().configure("dogpile.cache.memory")
cache_regions["short"] = {"type": "memory", "expire": 60}
store = diskcache.Cache("store")
decorators = {"dogpile.cache": region.cache_on_arguments(),
              "dogpile.cache, to_str=repr": region.cache_on_arguments(namespace="repr", to_str=repr),
              "Beaker": cache_region("short"),
              "diskcache": store.memoize(),
              "lru_cache": functools.lru_cache}

for name, decorate in decorators.items():
    def call(*arguments):
        return arguments
    call = decorate(call)

    class Client:
        def __init__(self, host):
            self.host = host
        @decorate
        def address(self, path):
            return self.host + path
        def __reduce__(self): # for diskcache, whose keys are pickled
            return Client, (self.host,)

    pairs = [("a number and its text", (1,), ("1",)), ("None and its text", (None,), ("None",)),
             ("a blank elsewhere", ("unit test", "fast"), ("unit", "test fast"))]
    same = [what for what, first, second in pairs if call(*first) == call(*second)]
    if Client("north").address("/jobs") == Client("south").address("/jobs"):
        same.append("two objects")
    print(f"{name}: the same result for {', '.join(same) or 'none'}")
END
"$work/env/bin/python" calls.py | tee seen
cat >expected <<'END'
dogpile.cache: the same result for a number and its text, None and its text, a blank elsewhere, two objects
dogpile.cache, to_str=repr: the same result for two objects
Beaker: the same result for a number and its text, None and its text, a blank elsewhere, two objects
diskcache: the same result for none
lru_cache: the same result for none
END
diff seen expected
