#!/bin/sh
# prometheus_client 0.26.0 (PyPI).
# Behaviour: its parser of the text format gives a counter that is written `jobs` the sample name
#   `jobs_total`, and the family name `jobs` to one that is written `jobs_total`. A counter in the form of
#   OpenMetrics, `# TYPE jobs counter` with samples `jobs_total`, becomes an empty counter and an
#   untyped metric. Gauges and histograms keep their names.
# Expected: a parser returns the names that are there; Prometheus stores them so.
# Who meets it: tests of an exporter and tools that copy or filter metrics with this parser: they look
#   for a name that a scrape shows and do not find it, or write another one.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q prometheus_client==0.26.0
cd "$work"
cat >names.py <<'END'
from prometheus_client.parser import text_string_to_metric_families

for text in ("# TYPE jobs counter\njobs 1\n", "# TYPE jobs_total counter\njobs_total 1\n",
             "# TYPE jobs counter\njobs_total 1\n", "# TYPE jobs gauge\njobs 1\n"):
    kind, written = text.split()[3:5]
    families = [f"{family.type} {family.name} {[sample.name for sample in family.samples]}"
                for family in text_string_to_metric_families(text)]
    print(f"{text.split()[2]} is a {kind}, {written} 1:", "; ".join(families))
END
"$work/env/bin/python" names.py | tee seen
cat >expected <<'END'
jobs is a counter, jobs 1: counter jobs ['jobs_total']
jobs_total is a counter, jobs_total 1: counter jobs ['jobs_total']
jobs is a counter, jobs_total 1: counter jobs []; unknown jobs_total ['jobs_total']
jobs is a gauge, jobs 1: gauge jobs ['jobs']
END
diff seen expected
