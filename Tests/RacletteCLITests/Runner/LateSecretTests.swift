import Testing

/// Secrets that come while a command runs, and secrets that are syntax.
@Suite("secrets that come late", .timeLimit(.minutes(5)))
struct LateSecretTests {
  private static let commands = #"""
    rac.command{name = "set", secrets = {"TOKEN"}, run = function()
      rac.env.TOKEN = "hunter2hunter2"
      print("printed hunter2hunter2")
      rac.log.warn("logged hunter2hunter2")
      return rac.sh("echo value $TOKEN; echo error $TOKEN >&2; exit 3")
    end}
    rac.command{name = "given", secrets = {"TOKEN"}, run = function()
      return rac.exec{"sh", "-c", "echo value $TOKEN; echo error $TOKEN >&2; exit 3",
        env = {TOKEN = "hunter2hunter2"}}
    end}
    rac.command{name = "other", run = function()
      return rac.sh("echo value $TOKEN; exit 3", {env = {TOKEN = "hunter2hunter2"}})
    end}
    rac.command{name = "raise", run = function()
      rac.env.TOKEN = "hunter2hunter2" error("raised hunter2hunter2")
    end}
    """#

  @Test(
    "what is set or given at run time is masked everywhere",
    arguments: ["set", "given", "other", "raise"])
  func late(command: String) async {
    let folder = Folder(commands: Self.commands)
    folder.write("{\"command\": \"\(command)\"}\n", to: "plan.jsonl")
    let run = await shell(
      """
      raclette run \(command); raclette run --json \(command)
      raclette run --journal j.db \(command)
      raclette batch plan.jsonl --journal b.db --junit r.xml --summary s.json --json
      raclette batch plan.jsonl --journal b.db --junit r.xml --summary s.json
      for j in j.db b.db; do
        raclette history --journal $j; raclette history --json --journal $j
        for i in 1 2 3; do raclette replay $i --journal $j; done
      done
      cat r.xml s.json; grep -a hunter2 j.db* b.db*
      """, in: folder)
    let text = run.output + run.errors
    #expect(text.contains("***"), "\(text)")
    #expect(!text.contains("hunter2"), "\(text)")
  }

  @Test("a secret that a process writes in two pieces is masked in the output of scripts, too")
  func pieces() async {
    let folder = Folder([
      "s.lua": """
      local rac = require "rac"
      rac.command{name = "c", secrets = {"TOKEN"}, run = function()
        rac.env.TOKEN = "hunter2hunter2"
        return rac.sh("printf 'value hunter2' >&2; sleep 0.1; printf 'hunter2 end\\n' >&2")
      end}:execute():wait()
      """
    ])
    let run = await raclette("exec", "s.lua", in: folder)
    #expect(run.errors == "value *** end\n")
  }

  @Test(
    "JSON stays JSON whatever a secret is",
    arguments: [#"""#, #"\"#, ",", "e", "1", "{", "a\"b\\c", "line one\nline \"two\"", "/x/é"])
  func syntax(secret: String) async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "c", secrets = {"TOKEN", "word"}, params = "any", run = function(input)
          io.stderr:write("words ", rac.env.TOKEN, "\n")
          return rac.from{rac.env.TOKEN, {key = rac.env.TOKEN .. "!", [rac.env.TOKEN] = 1}, 11, true}
        end}
        """#)
    let run = await raclette(
      "run", "--json", "--journal", "j.db", "c", "--word=\(secret)", in: folder,
      environment: ["TOKEN": secret])
    #expect(run.status == 0, "\(run)")
    folder.write(run.output, to: "events.jsonl")
    let history = await raclette("history", "--json", "--journal", "j.db", in: folder)
    folder.write(history.output, to: "history.jsonl")
    let script = """
      for _, name in ipairs{"events.jsonl", "history.jsonl"} do
        for line in io.lines(name) do print(rac.json.decode(line).type or name) end
      end
      """
    let read = await raclette("-e", script, in: folder)
    #expect(read.status == 0, "\(read) \(run)")
    #expect(read.output.contains("run_started") && read.output.contains("history.jsonl"))
    let masked = await raclette("-e", Self.reader, in: folder, environment: ["TOKEN": secret])
    #expect(masked.output == "", "\(masked) \(run)")
  }

  /// Prints each value of the events that still holds the secret.
  private static let reader = """
    local function look(value)
      if type(value) == "table" then for k, v in pairs(value) do look(k) look(v) end
      elseif type(value) == "string" and value:find(rac.env.TOKEN, 1, true) then print(value) end
    end
    for line in io.lines("events.jsonl") do
      local event = rac.json.decode(line)
      look(event.value) look(event.input)
    end
    """

  @Test("a secret is masked in the forms that JSON gives it, in text too")
  func encoded() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "c", secrets = {"TOKEN"}, run = function()
          print(rac.json.encode{rac.env.TOKEN})
          return rac.exec{"printf", "%s\n", [[pa\"ss\/w\u00f6rd]], [[pa\"ss/wörd]]}
        end}
        """#)
    let run = await raclette("run", "c", in: folder, environment: ["TOKEN": #"pa"ss/wörd"#])
    #expect(run.output == "[\"***\"]\n***\n***\n", "\(run)")
  }

  @Test("a secret that is no UTF-8 is masked in bytes and in JSON")
  func bytes() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "c", secrets = {"TOKEN"}, run = function() return rac.env.TOKEN .. "!" end}
        """#)
    let run = await shell(
      #"TOKEN=$'s\xffcret' raclette run c; TOKEN=$'s\xffcret' raclette run --json c"#, in: folder)
    #expect(run.output.hasPrefix("***!\n"), "\(run)")
    #expect(run.output.contains(#""value":"***!""#), "\(run)")
  }

  @Test("a value that is full of secrets is masked in one pass")
  func many() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "one", secrets = {"TOKEN"}, run = function() return ("x"):rep(1 << 20) end}
        rac.command{name = "two", secrets = {"TOKEN"}, run = function()
          return ("x" .. rac.env.TOKEN .. "y"):rep(1 << 17) end}
        """#)
    let one = await raclette("run", "one", in: folder, environment: ["TOKEN": "x"])
    #expect(one.output.utf8.count == 3 << 20 | 1, "\(one.errors)")
    let periodic = String(repeating: "x", count: 5_000)
    let all = await raclette("run", "one", in: folder, environment: ["TOKEN": periodic])
    #expect(all.output == "***\n")
    let two = await raclette("run", "two", in: folder, environment: ["TOKEN": "admin"])
    #expect(two.output == String(repeating: "x***y", count: 1 << 17) + "\n")
  }

  @Test(
    "a secret that is cut in two is masked", arguments: ["interleave", "prefix", "group", "json"])
  func cut(way: String) async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "bytes", secrets = {"TOKEN"}, run = function()
          return rac.sh("printf ahun; sleep 0.1; printf ter2b; sleep 0.1; printf hunt",
            {output = "bytes"})
        end}
        rac.command{name = "pieces", run = function()
          io.stdout:write("ahun") io.stdout:write("ter2b\n")
          io.stderr:write("chun") io.stderr:write("ter2d\n")
          io.write("hun")
        end}
        """#)
    let mode = way == "json" ? ["--json"] : ["-o", way]
    let launch = Launch(
      arguments: ["run"] + mode + ["--journal", "j.db", "bytes", ":::", "pieces"],
      folder: folder.path, environment: ["TOKEN": "hunter2"])
    let run = await onThread { Running(launch).finish() }
    let all = run.output + run.errors
    #expect(!all.contains("ter2"), "\(run)")
    #expect(all.contains("a***b") && all.contains("c***d"), "\(run)")
    #expect(all.contains("hun"), "\(run)")
    let replay = await raclette("replay", "1", "2", "--journal", "j.db", in: folder)
    #expect(replay.output.contains("a***bhunt"), "\(replay)")
  }

  @Test("a table is JSON though a number of it is a secret")
  func numbers() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "c", secrets = {"TOKEN"}, run = function()
          return rac.from{{1212, 7}, {a = 12, c = 0.12}} end}
        """#)
    let run = await raclette(
      "run", "--journal", "j.db", "c", in: folder, environment: ["TOKEN": "12"])
    let expected = "[\"***\",7]\n{\"a\":\"***\",\"c\":\"***\"}\n"
    #expect(run.output == expected, "\(run)")
    #expect(await raclette("replay", "1", "--journal", "j.db", in: folder).output == expected)
    // A quotation mark is in every text of JSON.
    let quote = await raclette("run", "c", in: folder, environment: ["TOKEN": "\""])
    #expect(quote.output == "[1212,7]\n{\"a\":12,\"c\":0.12}\n", "\(quote)")
  }

  @Test("a short line of a secret of several lines does not mask every brace")
  func braces() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "c", secrets = {"TOKEN"}, run = function()
          return rac.sh("echo '{}'; printf '%s\\n' \"$TOKEN\"") end}
        """#)
    let run = await raclette(
      "run", "c", in: folder, environment: ["TOKEN": "{\n\"key\": \"hunter2\"\n}"])
    #expect(run.output == "{}\n{\n***\n}\n", "\(run)")
  }
}
