#!/bin/sh
# polars 2.1.0 beside DuckDB 2.0.1, pandas 3.1.1 and pyarrow 26.0.1 (PyPI).
# Behaviour: `read_ndjson` and `scan_ndjson` of polars take the columns from the first hundred lines. A field that
#   comes later is dropped, from all lines, without an error or a warning. DuckDB looks at about twenty
#   thousand lines and fails for a new field behind these. pandas and pyarrow have the column.
# Expected: the column, with nulls above, or an error, which polars does raise when a number of a known
#   field does not fit.
# Who meets it: logs and streams of events with a type and its own fields: "error", "exit_code" or "message"
#   of the rare event is not in the table, so the one that failed looks like the others. Samples and tests of
#   fewer lines are right. `infer_schema_length=None` reads all.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q polars==2.1.0 duckdb==2.0.1 pandas==3.1.1 pyarrow==26.0.1
cd "$work"
cat >trial.py <<'END'
import json
import duckdb, pandas, polars, pyarrow.json

readers = {
    "polars read_ndjson": lambda: polars.read_ndjson("events").columns,
    "polars scan_ndjson": lambda: polars.scan_ndjson("events").collect().columns,
    "polars, infer_schema_length=None":
        lambda: polars.read_ndjson("events", infer_schema_length=None).columns,
    "DuckDB": lambda: duckdb.sql("from read_json('events')").columns,
    "pandas": lambda: pandas.read_json("events", lines=True).columns.tolist(),
    "pyarrow": lambda: pyarrow.json.read_json("events").column_names,
}
for lines in 99, 100, 50_000:
    with open("events", "w") as file:
        for line in range(lines):
            file.write(json.dumps({"type": "started", "id": line}) + "\n")
        file.write(json.dumps({"type": "failed", "id": lines, "message": "disk full"}) + "\n")
    print(f"{lines} lines without the field")
    for label, read in readers.items():
        try:
            result = read()
            if label == "DuckDB":
                duckdb.sql("from read_json('events')").fetchall()
        except duckdb.InvalidInputException as error:
            result = "error, " + ("unknown key" if 'unknown key "message"' in str(error) else str(error))
        print(f"  {label}: {result}")
END
env/bin/python trial.py | tee seen
cat >expected <<'END'
99 lines without the field
  polars read_ndjson: ['type', 'id', 'message']
  polars scan_ndjson: ['type', 'id', 'message']
  polars, infer_schema_length=None: ['type', 'id', 'message']
  DuckDB: ['type', 'id', 'message']
  pandas: ['type', 'id', 'message']
  pyarrow: ['type', 'id', 'message']
100 lines without the field
  polars read_ndjson: ['type', 'id']
  polars scan_ndjson: ['type', 'id']
  polars, infer_schema_length=None: ['type', 'id', 'message']
  DuckDB: ['type', 'id', 'message']
  pandas: ['type', 'id', 'message']
  pyarrow: ['type', 'id', 'message']
50000 lines without the field
  polars read_ndjson: ['type', 'id']
  polars scan_ndjson: ['type', 'id']
  polars, infer_schema_length=None: ['type', 'id', 'message']
  DuckDB: error, unknown key
  pandas: ['type', 'id', 'message']
  pyarrow: ['type', 'id', 'message']
END
diff seen expected
