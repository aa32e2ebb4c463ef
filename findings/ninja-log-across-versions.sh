#!/bin/sh
# ninja 1.11.1.4 and 1.13.2 (PyPI).
# Behaviour: each executes every edge again behind the other, without a word, although both write a
#   log that begins with `# ninja log v7`.
# Expected: a warning, as both print for other logs they cannot use, or a build with nothing to do.
# Who meets it: whoever builds one folder with two ninjas, such as that of the distribution in a
#   terminal and that of a Python build (meson-python, scikit-build-core) beside it: each build is a
#   full one, and nothing says why.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for version in 1.11.1.4 1.13.2; do
  python3 -m venv "$work/$version"
  "$work/$version/bin/pip" install -q ninja=="$version"
done
cd "$work"
printf 'rule copy\n  command = cp $in $out\nbuild app: copy source\n' >build.ninja
echo 1 >source
for version in 1.13.2 1.13.2 1.11.1.4 1.11.1.4 1.13.2; do
  echo "$version: $("$work/$version/bin/ninja" | tail -1), $(head -1 .ninja_log)"
done 2>&1 | tee seen
cat >expected <<'END'
1.13.2: [1/1] cp source app, # ninja log v7
1.13.2: ninja: no work to do., # ninja log v7
1.11.1.4: [1/1] cp source app, # ninja log v7
1.11.1.4: ninja: no work to do., # ninja log v7
1.13.2: [1/1] cp source app, # ninja log v7
END
diff seen expected
