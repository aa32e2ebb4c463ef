#!/bin/sh
# uv 0.13.8, tomlkit 0.15.2, poethepoet 0.49.0 (PyPI), Python 3.11 (Debian 12).
# Behaviour: uv and tomlkit read TOML 1.1 without a word: line feeds in an inline table, `\e` in a
#   text. poe, which uses Python's tomllib, refuses the whole file.
# Expected: one pyproject.toml is valid for all the tools that share it, or the first of them warns.
# Who meets it: projects whose file is written and locked with uv and then read by a task runner or an
#   installer with tomllib; a formatter that wraps long inline tables is enough.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q uv==0.13.8 tomlkit==0.15.2 poethepoet==0.49.0
cd "$work"
export PATH="$work/env/bin:$PATH"
end() { # label, command
  label=$1
  shift
  status=0
  "$@" >said 2>&1 || status=$?
  echo "$label: status $status$(grep -o "Couldn't parse toml" said | sed 's/^/, /')"
}
for version in 1.0 1.1; do
  cat >pyproject.toml <<END
[project]
name = "example"
version = "1"
requires-python = ">=3.11"
[tool.poe.tasks]
END
  if [ $version = 1.0 ]; then echo 'hello = { cmd = "echo hello", env = { A = "1" } }'
  else printf 'hello = {\n  cmd = "echo hello",\n  env = { A = "\\e[1m" },\n}\n'; fi >>pyproject.toml
  end "$version uv" uv lock --offline --python "$work/env/bin/python"
  end "$version tomlkit" python -c "import tomlkit; tomlkit.parse(open('pyproject.toml').read())"
  end "$version poe" poe -q hello
done | tee seen
cat >expected <<'END'
1.0 uv: status 0
1.0 tomlkit: status 0
1.0 poe: status 0
1.1 uv: status 0
1.1 tomlkit: status 0
1.1 poe: status 1, Couldn't parse toml
END
diff seen expected
