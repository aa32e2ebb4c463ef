import Testing

/// Arguments, variables, paths, input and output are bytes from end to end.
@Suite("bytes", .timeLimit(.minutes(5)))
struct BytesTests {
  /// What a line of bash writes to standard output, in hexadecimal.
  private func bytes(of line: String, in folder: Folder = Folder()) async -> String {
    let run = await shell("set -o pipefail; { \(line); } | od -An -v -tx1", in: folder)
    #expect(run.status == 0, "\(run)")
    return run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("arguments of a script")
  func arguments() async {
    let line = #"raclette -e 'io.write(rac.args[1], arg[2])' -- $'a\xffb' $'\xc3\xe2\x82'"#
    #expect(await bytes(of: line) == "61 ff 62 c3 e2 82")
  }

  @Test(
    "parameters of a command, however they are given",
    arguments: [
      #"$'\xff=\xfe'"#, #"$'name=\xff=\xfe'"#, #"$'--name=\xff=\xfe'"#, #"--name $'\xff=\xfe'"#,
      #"-- $'\xff=\xfe'"#,
    ])
  func parameters(words: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", params = {{name = "name"}}, run = function(i) return i.name end}
        rac.command{name = "sub", params = {{name = "name"}},
          run = function(i) return rac.exec{"printf", "%s\\n", i.name} end}
        """)
    #expect(await bytes(of: "raclette run c \(words)", in: folder) == "ff 3d fe 0a")
    #expect(await bytes(of: "raclette run sub \(words)", in: folder) == "ff 3d fe 0a")
  }

  @Test("a value that begins with a combining character belongs to its name all the same")
  func combining() async {
    let folder = Folder(
      commands: #"rac.command{name = "c", params = "any", run = function(i) return i.name end}"#)
    #expect(await bytes(of: #"raclette run c $'name=\u0301'"#, in: folder) == "cc 81 0a")
    #expect(await bytes(of: #"raclette run c $'--name=\u0301'"#, in: folder) == "cc 81 0a")
  }

  @Test("variables, their values and their names")
  func variables() async {
    let set = #"env $'N\xff=\xfe' "#
    #expect(await bytes(of: set + #"raclette -e 'io.write(rac.env["N\xff"])'"#) == "fe")
    let walk =
      #"raclette -e 'for n, v in pairs(rac.env) do if #n == 2 then io.write(n, v) end end'"#
    #expect(
      await bytes(
        // A sanitizer's options are no variable of anybody else.
        of: "env -i ${ASAN_OPTIONS:+ASAN_OPTIONS=$ASAN_OPTIONS} $'N\\xff=\\xfe' $(which raclette) "
          + walk.drop { $0 != " " }) == "4e ff fe")
    let inherited = #"""
      raclette -e 'rac.exec{"env", env = {A = 1}}:filter(function(line)
        return line:find("^N\xff") end):subscribe(print)'
      """#
    #expect(await bytes(of: set + inherited) == "4e ff 3d fe 0a")
    let own = #"""
      raclette -e 'rac.env["M\xff"] = "\xfd"; io.write(rac.env["M\xff"]); rac.env["M\xff"] = nil
        io.write(tostring(rac.env["M\xff"]))
        rac.exec{"env", env = {["O\xff"] = "\xfc"}}:filter(function(line)
          return line:find("^O\xff") end):subscribe(print)'
      """#
    #expect(await bytes(of: own) == "fd 6e 69 6c 4f ff 3d fc 0a")
  }

  @Test("-C, -f, and a script's name")
  func files() async {
    let folder = Folder()
    let make = #"""
      mkdir $'d\xff'; echo 'rac.command{name = "c", run = function() return "here" end}' \
        | tee $'d\xff/commands.lua' > $'f\xfe.lua'
      echo 'print(arg[0])' > $'s\xfd.lua'; mkdir $'e\xff'; cp $'f\xfe.lua' $'e\xff/g\xfe.lua'
      """#
    _ = await shell(make, in: folder)
    let here = "68 65 72 65 0a"
    #expect(await bytes(of: #"raclette -C $'d\xff' run c"#, in: folder) == here)
    #expect(await bytes(of: #"raclette run -f $'f\xfe.lua' c"#, in: folder) == here)
    #expect(await bytes(of: #"raclette run -f $'e\xff/g\xfe.lua' c"#, in: folder) == here)
    #expect(await bytes(of: #"cd $'d\xff' && raclette run c"#, in: folder) == here)
    let name = await bytes(of: #"raclette $'./s\xfd.lua'"#, in: folder)
    #expect(name == "2e 2f 73 fd 2e 6c 75 61 0a")
  }

  @Test("paths that a script names")
  func paths() async {
    let folder = Folder()
    _ = await shell(#"mkdir $'d\xff'; touch $'d\xff/here'"#, in: folder)
    let script = #"""
      print(rac.exec{"ls", cwd = "d\xff"}:first())
      print(rac.file_exists("d\xff/here"):first(), rac.file_exists("d\xfe"):first())
      local change = rac.watch("d\xff"):take(1):replay()
      change:subscribe()
      rac.sh("echo x > new$(printf '\\376')", {cwd = "d\xff"}):wait()
      io.write(change:first().path, "\n")
      """#
    folder.write(script, to: "script.lua")
    let output = await bytes(of: "raclette script.lua", in: folder)
    let expected: [UInt8] =
      Array("here\ntrue\tfalse\nd".utf8) + [0xFF] + Array("/new".utf8) + [0xFE, 10]
    #expect(output == expected.map(Self.digits).joined(separator: " "))
  }

  private static func digits(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  @Test("lines of a process, with \\r and whatever is no UTF-8")
  func lines() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "c", run = function() return rac.sh("printf 'a\\r\\n\\377\\r\\n\\r\\n'") end}
        """#)
    #expect(await bytes(of: "raclette run c", in: folder) == "61 0d 0a ff 0d 0a 0d 0a")
    let stdin = #"printf 'a\r\n\377\n' | raclette -e 'rac.stdin():subscribe(io.write)'"#
    #expect(await bytes(of: stdin) == "61 0d ff")
  }

  @Test(
    "chunks that a run returns have nothing between them",
    arguments: ["interleave", "group"])
  func chunks(layout: String) async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "c", retry = {times = 1}, run = function()
          return rac.sh("printf a; sleep 0.1; printf 'b\\n\\ncd'; sleep 0.1; printf '\\n'; printf e",
            {output = "bytes"})
        end}
        rac.command{name = "d", run = function() return rac.commands.c:execute() end}
        """#)
    for command in ["c", "d"] {
      #expect(
        await bytes(of: "raclette run -o \(layout) \(command)", in: folder)
          == "61 62 0a 0a 63 64 0a 65")
    }
  }

  @Test("chunks behind a name begin lines only where they do")
  func prefixed() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "c", run = function()
          return rac.sh("printf 'a\\nb'; sleep 0.1; printf '\\nc\\n'", {output = "bytes"}) end}
        """#)
    let run = await raclette("run", "-o", "prefix", "c", in: folder)
    #expect(run.output == "c | a\nc | b\nc | c\n")
  }

  @Test("a replayed execution has its chunks as they were")
  func replayed() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "c", run = function()
          return rac.sh("printf 'a\\377'; sleep 0.1; printf 'b\\n'", {output = "bytes"}) end}
        """#)
    _ = await raclette("run", "--journal", "j.db", "c", in: folder)
    #expect(await bytes(of: "raclette replay 1 --journal j.db", in: folder) == "61 ff 62 0a")
  }

  @Test("standard error that was captured is replayed as it was")
  func capturedErrors() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "c", run = function()
          return rac.sh("printf 'bad \\377\\n' >&2; exit 1", {stderr = "capture"}) end}
        """#)
    _ = await raclette("run", "--journal", "j.db", "c", in: folder)
    let replay = "raclette replay 1 --journal j.db 2>&1 >/dev/null | sed -n 1p"
    #expect(await bytes(of: replay, in: folder) == "62 61 64 20 ff 0a")
  }

  @Test("a name that is not UTF-8 is refused where it is given")
  func names() async {
    let folder = Folder([
      "name.lua": #"rac.command{name = "n\xff", run = print}"#,
      "alias.lua": #"rac.command{name = "n", aliases = {"\xff"}, run = print}"#,
      "parameter.lua": #"rac.command{name = "n", params = {{name = "\xff"}}, run = print}"#,
    ])
    for name in ["name", "alias", "parameter"] {
      let run = await raclette("check", "\(name).lua", in: folder)
      #expect(run.status != 0, "\(run)")
      #expect((run.output + run.errors).contains(" must be UTF-8, got '"), "\(run)")
    }
    let run = await raclette("run", "-f", "name.lua", "n", in: folder)
    #expect(run.errors.hasPrefix("raclette: error: name.lua:"), "\(run)")
    #expect(run.errors.contains(#"'name' must be UTF-8, got 'n\xff'"#), "\(run)")
  }

  @Test("chunks and long lines feed another process as they are")
  func fed() async {
    let script = #"""
      rac.exec{"od", "-An", "-tx1", stdin = rac.sh("printf 'a\\377'; sleep 0.1; printf b",
        {output = "bytes"})}:subscribe(io.write)
      """#
    let run = await raclette("-e", script)
    #expect(run.output == " 61 ff 62")
  }

  @Test("a line of any length is passed on as it is", arguments: ["run", "batch", "stdin"])
  func longLine(way: String) async {
    let folder = Folder(
      commands: #"""
        local line = "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo end"
        rac.command{name = "c", run = function() return rac.sh(line) end}
        rac.command{name = "in", run = function() return rac.stdin() end}
        """#)
    folder.write(#"{"command": "c"}"#, to: "plan.jsonl")
    let line =
      switch way {
      case "run": "raclette run c"
      case "batch": "raclette batch plan.jsonl 2>&-"
      default: "(head -c 50000000 /dev/zero | tr '\\0' x; echo; echo end) | raclette run in"
      }
    let expected = await shell(
      "(head -c 50000000 /dev/zero | tr '\\0' x; echo; echo end) | cksum", in: folder)
    #expect(await shell("\(line) | cksum", in: folder).output == expected.output)
  }

  @Test("JSON stays text: what is no UTF-8 is repaired there, and its bytes stand beside it")
  func events() async {
    let folder = Folder(
      commands: #"rac.command{name = "c", params = "any", run = function(i) return i.name end}"#)
    let run = await shell(#"raclette run --json c $'name=a\xffb'"#, in: folder)
    #expect(run.output.contains("\"value\":\"a\u{FFFD}b\",\"value_base64\":\"Yf9i\"}"), "\(run)")
    #expect(run.output.contains("\"input\":{\"name\":\"a\u{FFFD}b\"}"))
  }
}
