#!/bin/sh
# sqlite-utils 4.2.1 beside 3.38 (PyPI) and sqlite3 3.40.1 (Debian 12, installed).
# Behaviour: since 4 `sqlite-utils insert --csv` takes types from the values: a column of digits is an
#   integer, also where they begin with zeros, so `00501` is stored as 501, and where they do not fit 64
#   bits they are stored rounded as floats. One value with a letter keeps the column as text. 3.38
#   and `.import` of sqlite3 store texts; `--no-detect-types` does so in 4.
# Expected: a text that does not come back as it was is no integer.
# Who meets it: imports of postal codes, article numbers, phone numbers, ids of spans and accounts: after
#   the update joins and look-ups miss, some files are right and some wrong, by what else is in the column.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf 'zip,account,code\n00501,12345678901234567890,0012\n02134,98765432109876543210,00A2\n' >codes.csv
for version in 3.38 4.2.1; do
  python3 -m venv "$version"
  "$version/bin/pip" install -q "sqlite-utils==$version"
  "$version/bin/sqlite-utils" insert "$version.db" codes codes.csv --csv --silent
  echo "sqlite-utils $version: $("$version/bin/sqlite-utils" rows "$version.db" codes --nl | tr '\n' ' ')"
done | tee seen
{
  4.2.1/bin/sqlite-utils insert texts.db codes codes.csv --csv --silent --no-detect-types
  echo "4.2.1 --no-detect-types: $(4.2.1/bin/sqlite-utils rows texts.db codes --nl | tr '\n' ' ')"
  sqlite3 -cmd '.mode csv' imported.db '.import codes.csv codes'
  echo "sqlite3: $(sqlite3 imported.db 'select * from codes' | tr '\n' ' ')"
} | tee -a seen
cat >expected <<'END'
sqlite-utils 3.38: {"zip": "00501", "account": "12345678901234567890", "code": "0012"} {"zip": "02134", "account": "98765432109876543210", "code": "00A2"} 
sqlite-utils 4.2.1: {"zip": 501, "account": 1.2345678901234567e+19, "code": "0012"} {"zip": 2134, "account": 9.876543210987654e+19, "code": "00A2"} 
4.2.1 --no-detect-types: {"zip": "00501", "account": "12345678901234567890", "code": "0012"} {"zip": "02134", "account": "98765432109876543210", "code": "00A2"} 
sqlite3: 00501|12345678901234567890|0012 02134|98765432109876543210|00A2 
END
diff seen expected
