#!/bin/sh
# python-dotenv 1.2.4, honcho 2.0.0, poethepoet 0.49.0 (PyPI), bash 5.2 (Debian 12).
# Behaviour: one file of variables has up to three meanings. A value that begins with # is the value
#   (bash, python-dotenv), the empty text (poe) or no variable at all (honcho); honcho cuts a value
#   at a # inside it; $HOME is expanded by bash and poe only, "\n" in quotes is a line feed in
#   python-dotenv and honcho only.
# Expected: readers of `.env` differ in what they expand, but agree on which text is the value.
# Who meets it: a password that begins with # or holds one, in a project whose `.env` is read by the
#   runner in development and by a library in production.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q 'python-dotenv[cli]==1.2.4' honcho==2.0.0 poethepoet==0.49.0
cd "$work"
export HOME=/home/u
cat >.env <<'END'
A=#secret
B=pass#word
C=$HOME/data
D="one\ntwo"
END
cat >show.py <<'END'
import os, sys
print(sys.argv[1], *(repr(os.environ.get(name)) for name in "ABCD"))
END
echo "show: $work/env/bin/python show.py honcho" >Procfile
cat >pyproject.toml <<'END'
[tool.poe]
envfile = ".env"
[tool.poe.tasks]
show = "python show.py poe"
END
{
  bash -c 'set -a; . ./.env; exec python3 show.py bash'
  "$work/env/bin/dotenv" run -- python3 show.py python-dotenv
  "$work/env/bin/honcho" start 2>/dev/null | sed -n 's/.*| honcho/honcho/p'
  "$work/env/bin/poe" -q show
} | tee seen
cat >expected <<'END'
bash '#secret' 'pass#word' '/home/u/data' 'one\\ntwo'
python-dotenv '#secret' 'pass#word' '$HOME/data' 'one\ntwo'
honcho None 'pass' '$HOME/data' 'one\ntwo'
poe '' 'pass#word' '/home/u/data' 'one\\ntwo'
END
diff seen expected
