#!/bin/sh
# DuckDB 2.0.1 beside polars 2.1.0 and pyarrow 26.0.1 (PyPI).
# Behaviour: DuckDB takes the types of a JSON or CSV file from its first 20480 lines. A column that has whole
#   numbers there is BIGINT, and a number with a fraction in a later line is rounded, 1.7 to 2 and 0.4 to 0,
#   without an error; a text in its place is one. polars, with a sample of a hundred lines, refuses the
#   fraction too, and pyarrow returns it.
# Expected: an error, as DuckDB has for everything else that does not fit, or DOUBLE.
# Who meets it: files of events, metrics and bills whose durations, sizes or prices happen to be whole at first,
#   0 for as long as nothing was used: sums and averages are a little off, only in large files, and
#   nothing says so. `sample_size = -1`, or the types written out, returns the numbers as they are.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1
cd "$work"
cat >trial.py <<'END'
import duckdb, polars, pyarrow.json

duckdb.sql("set threads = 1")

def read(label, act):
    try:
        print(f"  {label}: {act()}")
    except Exception as error:
        print(f"  {label}: {type(error).__name__}")

def query(source):
    columns = "typeof(any_value(seconds)), list(seconds)[-2:]"
    return lambda: duckdb.sql(f"select {columns} from {source}").fetchall()[0]

for lines, last in (1_000, [1.7, 0.4]), (50_000, [1.7, 0.4]), (50_000, ["unknown"]):
    with open("events", "w") as json, open("events.csv", "w") as csv:
        csv.write("seconds\n")
        for seconds in [3] * lines + last:
            json.write('{"seconds": %s}\n' % (f'"{seconds}"' if seconds == "unknown" else seconds))
            csv.write(f"{seconds}\n")
    print(f"{lines} whole numbers, then {last}")
    read("DuckDB, JSON", query("read_json('events')"))
    read("DuckDB, CSV", query("read_csv('events.csv')"))
    if last[0] != "unknown":
        read("DuckDB, JSON, sample_size = -1", query("read_json('events', sample_size = -1)"))
        read("DuckDB, CSV, sample_size = -1", query("read_csv('events.csv', sample_size = -1)"))
        read("polars, JSON", lambda: polars.read_ndjson("events")["seconds"].to_list()[-2:])
        read("polars, CSV", lambda: polars.read_csv("events.csv")["seconds"].to_list()[-2:])
        read("pyarrow, JSON", lambda: pyarrow.json.read_json("events")["seconds"].to_pylist()[-2:])
END
env/bin/python trial.py | tee seen
cat >expected <<'END'
1000 whole numbers, then [1.7, 0.4]
  DuckDB, JSON: ('DOUBLE', [1.7, 0.4])
  DuckDB, CSV: ('DOUBLE', [1.7, 0.4])
  DuckDB, JSON, sample_size = -1: ('DOUBLE', [1.7, 0.4])
  DuckDB, CSV, sample_size = -1: ('DOUBLE', [1.7, 0.4])
  polars, JSON: ComputeError
  polars, CSV: ComputeError
  pyarrow, JSON: [1.7, 0.4]
50000 whole numbers, then [1.7, 0.4]
  DuckDB, JSON: ('BIGINT', [2, 0])
  DuckDB, CSV: ('BIGINT', [2, 0])
  DuckDB, JSON, sample_size = -1: ('DOUBLE', [1.7, 0.4])
  DuckDB, CSV, sample_size = -1: ('DOUBLE', [1.7, 0.4])
  polars, JSON: ComputeError
  polars, CSV: ComputeError
  pyarrow, JSON: [1.7, 0.4]
50000 whole numbers, then ['unknown']
  DuckDB, JSON: InvalidInputException
  DuckDB, CSV: ConversionException
END
diff seen expected
