import Platform
import Testing

/// Plans with bytes and texts that are not usual, on a server and in a file.
@Suite("odd bytes of a plan", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(10)))
struct OddBytesTests {
  private static let commands = #"""
    local rac = require "rac"
    rac.command{name = "say", params = "any", run = function(input) return rac.json.encode(input) end}
    rac.command{name = "raw", params = {{name = "t"}}, run = {"sh", "-c",
      [[printf %s "$t" | cksum; printf 'a\000b\377c\n\001\033[31m\n'; printf '\376\n' >&2]]}}
    rac.command{name = "fail", run = function() error("zero \0 byte \255 end", 0) end}
    """#

  /// Writes a plan, whose odd bytes a Swift text cannot have.
  private static let writer = #"""
    lines = [
        b'{"command": "raw", "input": {"t": "a\xffb"}, "id": "i\xfe"}',
        b'{"command": "raw", "input": {"t": "zero \\u0000"}}',
        b'{"command": "say", "input": {"k\\u0000": 1}}',
        b'{"command": "say", "input": {"s": "\\ud800"}}',
        b'{"command": "say", "input": {"e": "\\u0301\\ufeff\\u202e"}, "id": "\\u0301"}',
        '{"command": "say", "input": {"é": 1, "e\u0301": 2}}'.encode(),
        b'{"command": "say", "input": {"big": 12345678901234567890, "small": 1e-320}}',
        b'{"command": "say", "input": {"f": 1e400}}',
        b'{"command": "say", "input": ["{a,b}", "\\\\", "\\"", "NULL", "\\n\\t", "\\u007f\\u0001"]}',
        b'{"command": "fail", "id": "a\\nb\\"c\\\\d\\u0001"}',
        b'{"command": "\xff"}', b'{"command": ""}', b'{"command": "fail\\u0000"}',
        b'{"command": "raw", "input": {"t": "' + b'x' * 100000 + b'"}}',
        b'\xff\xfe', b'', b'\x00', b'[]', b'{"command": "raw", "tags": ["a,b"]}',
    ]
    open("plan.jsonl", "wb").write(b"\n".join(lines) + b"\n")
    """#

  /// Prints what events, or the records of `history --json`, tell of each entry, in the order of the plan.
  private static let reader = #"""
    import json, sys
    found = []
    for line in sys.stdin.buffer:
        event = json.loads(line.decode("utf-8", "surrogateescape"))
        entry = event.get("entry", event)
        # A server cannot keep zeros; values and inputs are JSON, in which they are written otherwise.
        for part, name in ((event, "command"), (event, "text"), (event.get("error", {}), "message")):
            if name in part: part[name] = part[name].replace("\0", "\ufffd")
        if "error" in event: event["error"].pop("command", None)
        if "line" not in entry or event.get("type") == "execution_started": continue
        kept = {k: event.get(k) for k in (
            "type", "state", "command", "input", "text", "value", "value_base64", "error")}
        found.append((entry["line"], json.dumps([entry.get("id") if "entry" in event else 0, kept])))
    print(*sorted(found), sep="\n")
    """#

  private func read(_ file: String, in place: ClusterFolder) async -> [String] {
    place.folder.write(Self.reader, to: "reader.py")
    return await shell("python3 reader.py <'\(file)'", in: place.folder).lines
  }

  @Test("are told and recorded as with a journal in a file")
  func same() async {
    let place = ClusterFolder(Self.commands)
    place.folder.write(Self.writer, to: "writer.py")
    #expect(await shell("python3 writer.py", in: place.folder).status == 0)
    var events: [[String]] = []
    var records: [[String]] = []
    for journal in [place.folder["j.db"], place.url] {
      var launch = place.launch(["batch", "plan.jsonl", "-j1", "--json", "--journal", journal])
      launch.output = .file(place.folder["events"])
      place.folder.write("", to: "events")
      let run = await onThread { [launch] in Running(launch).finish() }
      #expect(run.status == 1, "\(run)")
      events.append(await read("events", in: place))
      let history = place.launch(["history", "--json", "--limit", "100", "--journal", journal])
      let told = await onThread { Running(history).finish() }
      #expect(told.status == 0 && told.errors == "", "\(told)")
      place.folder.write(told.output, to: "records")
      records.append(await read("records", in: place))
    }
    #expect(events[0].count > 20)
    #expect(events[0] == events[1])
    #expect(records[0].count > 14)
    #expect(records[0] == records[1])
  }

  @Test("a value that has no text fails the batch, as with a journal in a file")
  func unprintable() async {
    let place = ClusterFolder(
      #"rac.command{name = "odd", run = function() return {["k\0"] = 1} end}"#)
    place.folder.write("{\"command\": \"odd\"}\n", to: "plan.jsonl")
    for journal in [place.folder["j.db"], place.url] {
      let launch = place.launch(["batch", "plan.jsonl", "-j1", "--journal", journal])
      let run = await onThread { Running(launch).finish() }
      #expect(
        run.errorLines.contains(
          "raclette: error: odd: cannot print a value: a text with a zero byte cannot be a key "
            + "in JSON"),
        "\(run)")
      #expect(run.output == "" && run.status == 1, "\(run)")
    }
  }
}
