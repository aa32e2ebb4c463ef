import Platform
import Testing

/// The reports of a batch as the programs of others read them.
@Suite("a report is read by others") struct ForeignReaderTests {
  /// Entries of every kind of end: completed, failed after a retry, refused, without a name, of equal name
  /// and input, and with output that XML cannot have.
  private static func place() -> BatchFolder {
    BatchFolder(
      #"""
      local rac = require "rac"
      rac.command {name = "step", concurrency = 8, params = {{name = "n", type = "integer"}},
        run = function(input)
          rac.sleep(0.0005 * (input.n % 4))
          if input.n % 25 == 0 then error("bad \u{FC} <&> ]]> \27[31m", 0) end
          return input.n
        end}
      rac.command {name = "shell", run = {"sh", "-c", [[printf 'a\001b\377'; echo err >&2; exit 3]]}}
      """#,
      plan: (1...200).map {
        #"{"command": "step", "input": {"n": \#($0)}, "id": "e\#($0) <&>"}"#
      } + [
        #"{"command": "step", "input": {"n": 1}}"#, #"{"command": "step", "input": {"n": 1}}"#,
        #"{"command": "shell"}"#, #"{"command": "missing"}"#, "no JSON",
      ])
  }

  private static let hasJUnitParser =
    spawnAndWait(["/usr/bin/python3", "-c", "import sys; sys.stderr.close(); import junitparser"])
    == 0

  @Test(
    "junitparser counts and finds what happened",
    .enabled(if: hasJUnitParser, "python3-junitparser is not installed"))
  func junit() async {
    let place = Self.place()
    _ = await place.batch("plan.jsonl", "-j8", "-q", "--retries", "1", "--junit", "r.xml")
    let read = await shell(
      """
      /usr/bin/python3 -c '
      from junitparser import JUnitXml
      report = JUnitXml.fromfile("r.xml")
      print(report.tests, report.failures, report.errors, report.skipped)
      for suite in report:
          cases = list(suite)
          print(suite.name, suite.tests, suite.failures, suite.errors, suite.skipped, len(cases))
          found = {}
          for case in sorted(cases, key=lambda case: case.name):
              kind = type(case.result[0]).__name__ if case.result else "passed"
              found[kind] = found.get(kind, 0) + 1
              if case.classname in ("shell", "missing"): print(case.classname, case.name, kind)
          print(sorted(found.items()))
          # GitLab shows only the first of those with equal names.
          print(len({(case.classname, case.name) for case in cases}))'
      """, in: place.folder)
    #expect(
      read.lines == [
        "205 9 2 0", "plan.jsonl 205 9 2 0 205", "shell plan.jsonl:203 Failure",
        "missing plan.jsonl:204 Error", "[('Error', 2), ('Failure', 9), ('passed', 194)]", "205",
      ], "\(read)")
  }

  /// The rules of GitLab and Jenkins for what they show of a report, as their documentation has them: a
  /// suite has cases with a name, a class and a time in seconds; a case has at most one end; a failure has
  /// a message and a text; counts are those of the cases.
  @Test("a JUnit report follows the rules of GitLab and Jenkins")
  func rules() async {
    let place = Self.place()
    _ = await place.batch("plan.jsonl", "-j8", "-q", "--retries", "1", "--junit", "r.xml")
    let read = await shell(
      """
      python3 -c '
      import xml.etree.ElementTree as tree
      root = tree.parse("r.xml").getroot()
      assert root.tag == "testsuites", root.tag
      for suite in root:
          assert suite.tag == "testsuite" and suite.get("name") and float(suite.get("time")) >= 0
          cases = suite.findall("testcase")
          for case in cases:
              assert case.get("name") and case.get("classname") and float(case.get("time")) >= 0
              ends = [e for e in case if e.tag in ("failure", "error", "skipped")]
              assert len(ends) <= 1 and {e.tag for e in case} <= {
                  "failure", "error", "skipped", "system-out", "system-err"}, case.attrib
              for end in ends:
                  assert end.get("message") and (end.tag == "skipped" or end.text), case.attrib
          for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
              count = len(suite.findall("testcase/" + tag))
              assert int(suite.get(name)) == count, (name, count)
          assert int(suite.get("tests")) == len(cases)
      print("good")'
      """, in: place.folder)
    #expect(read.output == "good\n", "\(read)")
  }

  /// The rules of the trace event format (Chrome's document "Trace Event Format", which Perfetto follows):
  /// each event has a phase, a process and a thread; times are microseconds; complete events have a
  /// duration, and those of one thread nest or follow each other; instant events have a scope; metadata
  /// names each process once.
  @Test("a trace follows the rules of the format that Perfetto and Chrome read")
  func trace() async {
    let place = Self.place()
    _ = await place.batch("plan.jsonl", "-j8", "-q", "--retries", "1", "--journal", "j.db")
    let read = await shell(
      """
      raclette timeline --journal j.db --trace t.json >/dev/null
      python3 -c '
      import json
      trace = json.load(open("t.json"))
      assert trace["displayTimeUnit"] in ("ms", "ns")
      names, threads, count = {}, {}, {"M": 0, "X": 0, "i": 0}
      for event in trace["traceEvents"]:
          count[event["ph"]] += 1
          assert type(event["pid"]) is int and event["name"], event
          if event["ph"] == "M":
              assert event["name"] == "process_name" and event["pid"] not in names, event
              names[event["pid"]] = event["args"]["name"]
              continue
          assert type(event["tid"]) is int and type(event["ts"]) is int and event["ts"] >= 0, event
          if event["ph"] == "i":
              assert event["s"] in ("g", "p", "t"), event
              continue
          assert type(event["dur"]) is int and event["dur"] >= 0 and event["cat"], event
          assert type(event["args"]) is dict, event
          threads.setdefault((event["pid"], event["tid"]), []).append(event)
      for slices in threads.values():
          ends = []
          for event in sorted(slices, key=lambda e: (e["ts"], -e["dur"])):
              while ends and ends[-1] <= event["ts"]: ends.pop()
              end = event["ts"] + event["dur"]
              assert not ends or end <= ends[-1], event
              ends.append(end)
      assert {pid for pid, _ in threads} == set(names), names
      print(count, sorted(names.values()))'
      """, in: place.folder)
    #expect(
      read.output == "{'M': 3, 'X': 204, 'i': 9} ['missing', 'shell', 'step']\n",
      "\(read)")
  }
}
