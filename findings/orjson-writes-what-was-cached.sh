#!/bin/sh
# orjson 3.13.0 beside msgspec 0.22.0 (PyPI), Python 3.11.
# Behaviour: orjson writes a dataclass from the `__dict__` of the object, without names that begin with
#   an underscore. A `cached_property` appears in the JSON once somebody has read it, so does each
#   attribute that was set on the object; if it holds what orjson cannot write, `dumps` raises from then
#   on. A field with an underscore is left out. With `slots=True` it writes the fields, all but those.
#   `dataclasses.asdict` and msgspec write the fields.
# Expected: the fields of the class, as it is the decorator that makes the class writable.
# Who meets it: digests, cache keys and snapshots that are taken of the JSON: they depend on whether a
#   debug line or an earlier call has looked at the property. A compiled pattern or an open client kept in
#   one breaks the answer of the second request, never that of the first.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q orjson==3.13.0 msgspec==0.22.0
cd "$work"
cat >trial.py <<'END'
import dataclasses, functools, json, re, msgspec, orjson

@dataclasses.dataclass
class Rule:
    text: str
    _rank: int = 1

    @functools.cached_property
    def length(self):
        return len(self.text)

    @functools.cached_property
    def pattern(self):
        return re.compile(self.text)

@dataclasses.dataclass(slots=True)
class Slotted:
    text: str
    _rank: int = 1

def show(when, value):
    try:
        written = orjson.dumps(value).decode()
    except TypeError as error:
        written = type(error).__name__
    print(f"{when}: orjson {written}, msgspec {msgspec.json.encode(value).decode()}, "
          f"asdict {json.dumps(dataclasses.asdict(value), separators=(',', ':'))}")

rule = Rule("a+")
show("new", rule)
rule.length
show("length read", rule)
rule.note = "seen"
show("attribute set", rule)
rule.pattern
show("pattern read", rule)
show("slots", Slotted("a+"))
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
new: orjson {"text":"a+"}, msgspec {"text":"a+","_rank":1}, asdict {"text":"a+","_rank":1}
length read: orjson {"text":"a+","length":2}, msgspec {"text":"a+","_rank":1}, asdict {"text":"a+","_rank":1}
attribute set: orjson {"text":"a+","length":2,"note":"seen"}, msgspec {"text":"a+","_rank":1}, asdict {"text":"a+","_rank":1}
pattern read: orjson TypeError, msgspec {"text":"a+","_rank":1}, asdict {"text":"a+","_rank":1}
slots: orjson {"text":"a+"}, msgspec {"text":"a+","_rank":1}, asdict {"text":"a+","_rank":1}
END
diff seen expected
