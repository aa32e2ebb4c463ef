#!/bin/sh
# podman-compose 1.6.0 (PyPI), podman 4.3.1 (Debian 12), of which it asks only the version here.
# Behaviour: when a second file, an override or another with `-f`, has a `healthcheck` of its own, `test` becomes
#   the words of the first one followed by those of the second: `CMD pg_isready CMD pg_isready -U app`.
#   `command` and `entrypoint` are replaced, and so is a `test` that is one text.
# Expected: the last one counts, as the Compose specification says of the three of them.
# Who meets it: projects with a `compose.override.yaml` for development or CI: the check asks something that nobody
#   wrote, and fails, so that what waits for `service_healthy` never starts, or passes with a word too many.
#   `test: !override [...]` helps.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q podman-compose==1.6.0
cd "$work"
apt-get download podman=4.3.1+ds1-8+deb12u1+b3 libgpgme11=1.18.0-3+b1 libassuan0=2.5.5-5 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH="$work/root/usr/lib/x86_64-linux-gnu" PATH="$work/root/usr/bin:$PATH"
mkdir project
cd project
cat >compose.yaml <<'END'
services:
  list:
    image: postgres
    entrypoint: [first, one]
    command: [postgres, -c, fsync=off]
    healthcheck: {test: [CMD, pg_isready]}
  text:
    image: postgres
    command: postgres -c fsync=off
    healthcheck: {test: pg_isready}
END
cat >compose.override.yaml <<'END'
services:
  list:
    entrypoint: [second]
    command: [postgres]
    healthcheck: {test: [CMD, pg_isready, -U, app]}
  text:
    command: postgres
    healthcheck: {test: pg_isready -U app}
END
cat >../show.py <<'END'
import sys, yaml
for name, service in yaml.safe_load(sys.stdin)["services"].items():
    print(f"  {name}: entrypoint {service.get('entrypoint')}, command {service['command']}, "
          f"test {service['healthcheck']['test']}")
END
show() {
  ../env/bin/podman-compose config 2>/dev/null | ../env/bin/python ../show.py
}
{
  echo "two files:"
  show
  echo "with !override:"
  sed -i 's/test: \[/test: !override [/' compose.override.yaml
  show
} | tee ../seen
cat >../expected <<'END'
two files:
  list: entrypoint ['second'], command ['postgres'], test ['CMD', 'pg_isready', 'CMD', 'pg_isready', '-U', 'app']
  text: entrypoint None, command ['postgres'], test pg_isready -U app
with !override:
  list: entrypoint ['second'], command ['postgres'], test ['CMD', 'pg_isready', '-U', 'app']
  text: entrypoint None, command ['postgres'], test pg_isready -U app
END
diff ../seen ../expected
