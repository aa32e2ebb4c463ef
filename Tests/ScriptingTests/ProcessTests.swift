import Testing

@testable import Scripting

@Suite("Processes", .timeLimit(.minutes(5))) struct ProcessTests {
  @Test(arguments: [
    ("rac.exec{'printf', 'a\\nb'}", ["a", "b", "completed"]),
    ("rac.exec{'printf', 'a\\nb', output = 'bytes'}", ["a\nb", "completed"]),
    ("rac.exec{'echo', 1, 2.5, 1e15}", ["1 2.5 1000000000000000.0", "completed"]),
    (
      "rac.sh('echo one; echo two >&2; echo three', {stderr = 'merge'})",
      ["one", "two", "three", "completed"]
    ),
    ("rac.sh('exit 3')", ["error\t'exit 3' exited with status 3"]),
    ("rac.sh('exit 3', {success_codes = {0, 3}})", ["completed"]),
    ("rac.sh('kill -9 $$')", ["error\t'kill -9 $$' was ended by SIGKILL"]),
    ("rac.sh('pwd', {cwd = '/'})", ["/", "completed"]),
    ("rac.sh('echo $A$B', {env = {A = 'x', B = 2}})", ["x2", "completed"]),
    ("rac.sh('echo ${HOME-none}', {env = {HOME = false}})", ["none", "completed"]),
    ("rac.exec{'cat', stdin = 'text'}", ["text", "completed"]),
    ("rac.exec{'cat', stdin = rac.from{1, 'two'}}", ["1", "two", "completed"]),
    ("rac.exec{'cat', stdin = rac.timer(0.001):map_replace('late')}", ["late", "completed"]),
    ("rac.exec{'head', '-n1', stdin = rac.from{'a', 'b'}}", ["a", "completed"]),
    (
      "rac.exec{'sleep', '100', timeout = 0.01, grace = 0}",
      ["error\t'sleep' took longer than 0.01 s"]
    ),
    ("rac.exec{'cat', stdin = ''}", ["completed"]),
  ])
  func sends(_ signal: String, _ events: [String]) throws {
    #expect(try Script.lines(show + "show(\(signal))") == events)
  }

  @Test func anExitIsAnErrorWithItsFields() throws {
    let lines = try Script.lines(
      """
      local ok, e = pcall(function() rac.sh("echo why >&2; exit 7", {stderr = "capture"}):wait() end)
      print(e.kind, e.code, e.stderr, table.concat(e.argv, "|"), e.signal)
      local ok, e = pcall(function() rac.sh("kill -TERM $$"):wait() end)
      print(e.kind, e.code, e.signal)
      local ok, e = pcall(function() rac.exec{"/does/not/exist"}:wait() end)
      print(e.kind, e.argv[1], tostring(e))
      """)
    #expect(lines.first == "exit\t7\twhy\t/bin/sh|-c|echo why >&2; exit 7\tnil")
    #expect(lines.dropFirst().first == "exit\t143\tSIGTERM")
    #expect(lines.last?.hasPrefix("spawn\t/does/not/exist\t") == true)
  }

  @Test(arguments: [
    ("rac.exec{}", "the program is missing"), ("rac.exec('ls')", "table expected, got string"),
    ("rac.exec{{}}", "argument 1 must be a string or a number, got table"),
    ("rac.exec{'ls', cwdd = '/'}", "unknown key 'cwdd'; did you mean 'cwd'?"),
    ("rac.sh('ls', {'-l'})", "unknown key '1'; the keys are cwd, detach, env,"),
    ("rac.exec{'ls', stderr = 'x'}", "option 'stderr' must be one of"),
    ("rac.exec{'ls', timeout = -1}", "option 'timeout' must be a number of seconds"),
    ("rac.exec{'ls', stdin = {}}", "option 'stdin' must be a string or a signal, got table"),
    ("rac.exec{'ls', success_codes = {}}", "option 'success_codes' must be a list of numbers"),
    ("rac.exec{'ls', env = {1}}", "option 'env' must be a table of variables by name"),
    ("rac.sh()", "string expected, got no value"),
    ("rac.exec{'a\\0b'}", "argument 1 contains a zero byte"),
    ("rac.exec{'ls', cwd = 'a\\0b'}", "option 'cwd' contains a zero byte"),
  ])
  func wrongOptionsAreRejected(_ code: String, _ problem: String) throws {
    let message = try Script.run(code).failure?.message
    #expect(message?.contains(problem) == true, "\(message ?? "none")")
  }

  @Test(arguments: [
    ("nil", "nil"), ("true", "boolean"), ("{}", "table"), ("print", "function"),
    ("rac.empty()", "userdata"),
  ])
  func aSignalAsInputThatSendsNoTextEndsTheProcess(_ value: String, _ type: String) throws {
    let lines = try Script.lines(
      """
      local bad = rac.from{1, 2.5, "x"}:concat(rac.just(\(value)), rac.never())
      rac.exec{"cat", stdin = bad, grace = 60}:take_last(9)
        :subscribe(print, function(e) print(e.kind, e.message, e.argv[1]) end)
      """)
    #expect(
      lines == [
        "input\tthe 'stdin' of 'cat' was sent \(type), expected a string or a number\tcat"
      ])
  }

  @Test func eachSubscriptionStartsAProcess() throws {
    let lines = try Script.lines(
      """
      local p = rac.sh("echo $$")
      print(p:first() ~= p:first())
      """)
    #expect(lines == ["true"])
  }

  @Test func disposalEndsTheGroupBeforeTheScriptEnds() throws {
    let script = try Script()
    defer { script.finish() }
    let result = script.run(
      """
      local started = rac.replay_subject()
      local d = rac.sh("sleep 100 & echo started; wait"):subscribe(function(line)
        print(line)
        started:send_next()
      end)
      started:first()
      d:dispose()
      """)
    script.loop.run()
    #expect(result.output == ["started"])
    #expect(script.loop.liveProcesses == 0)
  }

  @Test func aCancelledExecutionHoldsItsSlotUntilTheProcessesAreGone() throws {
    let lines = try Script.lines(
      """
      local go = os.tmpname()
      os.remove(go)
      local c = rac.command{name = "c", run = function()
        return rac.range(1, 2):flat_map(function()
          return rac.sh("trap 'while ! [ -e " .. go .. " ]; do sleep 0.01; done; exit' TERM; echo up; while :; do sleep 0.01; done")
        end)
      end}
      local e = c:execute()
      e:take(2):wait()
      e:cancel()
      rac.sleep(0)
      print(e.state, c.executing:first(), c:execute().state)
      io.open(go, "w"):close()
      c.executing:filter(function(v) return not v end):first()
      print(rac.stats().processes)
      os.remove(go)
      """)
    #expect(lines.prefix(2) == ["cancelled\ttrue\tfailed", "0"])
  }

  @Test func argumentsAndLogsArrive() throws {
    let script = try Script(arguments: ["one", "two"])
    defer { script.finish() }
    let result = script.run(
      "print(rac.args[1], arg[2], arg[0], #rac.args, ...); rac.log.warn('a', 1, nil); rac.log.debug()"
    )
    #expect(result.output == ["one\ttwo\ttest.lua\t2\tone\ttwo"])
    #expect(result.logs == ["warn: a 1 nil", "debug: "])
  }
}

@Suite("JSON") struct JSONTests {
  @Test(arguments: [
    ("nil", "null"), ("true", "true"), ("1", "1"), ("1.5", "1.5"), ("1.0", "1.0"), ("0.1", "0.1"),
    ("1e300", "1e+300"), ("-1e-7", "-1e-07"),
    (#""\255""#, "\"\u{FFFD}\""),
    ("'a\\nb'", #""a\nb""#), ("{}", "{}"), ("{1, 2}", "[1,2]"), ("{n = 0}", "[]"),
    ("{1, nil, 3, n = 3}", "[1,null,3]"),
    ("{b = 1, a = 2}", #"{"a":2,"b":1}"#),
    ("{['\\u{e9}'] = 1, ['e\\u{301}'] = 2}", "{\"e\u{301}\":2,\"\u{e9}\":1}"),
    ("{[1] = 'a', [3] = 'c'}", #"{"1":"a","3":"c"}"#), ("math.maxinteger", "9223372036854775807"),
    ("{{}, {1}}", "[{},[1]]"), ("rac.tuple(1, 'x')", #"[1,"x"]"#),
  ])
  func encodes(_ value: String, _ json: String) throws {
    #expect(try Script.lines("print(rac.json.encode(\(value)))") == [json])
  }

  @Test(arguments: [
    ("print", "a function cannot be encoded as JSON"), ("0/0", "cannot be encoded as JSON"),
    ("math.huge", "cannot be encoded as JSON"), ("{[{}] = 1}", "a table cannot be a key in JSON"),
    ("(function() local t = {} t[1] = t return t end)()", "contains itself, at [1][1]"),
    ("{a = {{['b c'] = {[0.5] = print}}}}", "as JSON, at a[1][\"b c\"][0.5])"),
    ("{[1] = 'a', ['1'] = 'b', c = 3}", "two keys are \"1\" in JSON, a number and a text"),
    ("{ok = 1, sub = {[true] = 1}}", "a boolean cannot be a key in JSON, at sub)"),
  ])
  func refuses(_ value: String, _ problem: String) throws {
    let message = try Script.run("rac.json.encode(\(value))").failure?.message
    #expect(message?.contains(problem) == true, "\(message ?? "none")")
  }

  @Test("A field named n takes nothing away: only beside a list it is the list's length")
  func fieldNamedN() throws {
    let lines = try Script.lines(
      """
      local encode = rac.json.encode
      print(encode{n = 2, x = "kept"}, encode{n = 5}, encode{n = -1}, encode{n = math.maxinteger})
      print(encode(rac.from{1, nil, 3, n = 3}:to_table()), encode{1, 2, n = 2})
      """)
    #expect(
      lines == [
        "{\"n\":2,\"x\":\"kept\"}\t{\"n\":5}\t{\"n\":-1}\t{\"n\":9223372036854775807}",
        "[1,null,3]\t[1,2]",
      ])
  }

  @Test("The order of fields is theirs, also of names that Unicode calls equal")
  func canonicalOrder() {
    let texts = ["{\"\u{e9}\":1,\"e\u{301}\":2}", "{\"e\u{301}\":2,\"\u{e9}\":1}"]
    let canonical = texts.map { JSONValue(text: $0)?.canonical.text.utf8.map { $0 } }
    #expect(canonical[0] == canonical[1])
    #expect(canonical[0] == Array(texts[1].utf8))
  }

  @Test func decodes() throws {
    let lines = try Script.lines(
      #"""
      local t = rac.json.decode([[{"a":[1,2.5,"x",null,true],"b":{"c":"\u00e4\u0000"}}]])
      print(t.a[1], t.a[2], t.a[3], t.a[4], t.a[5], #t.b.c, rac.json.decode("null"), rac.json.decode("3"))
      local ok, e = pcall(rac.json.decode, "{")
      print(e.kind, e.message)
      """#)
    #expect(lines.first == "1\t2.5\tx\tnil\ttrue\t3\tnil\t3")
    #expect(lines.last?.hasPrefix("input\tthe input is not JSON: ") == true)
  }

  @Test(arguments: [
    "[]", "{}", "[null]", "[null,null]", "[1,null]", #"{"n":0}"#, #"{"n":2}"#, "[[],[null],{}]",
    #"{"a":[{"n":0},[null]]}"#, #"{"1":"a","n":1}"#, "9223372036854775807", "-9223372036854775808",
    String(repeating: "[", count: 900) + String(repeating: "]", count: 900),
  ])
  func whatWasDecodedIsEncodedAsItWas(_ json: String) throws {
    let lines = try Script.lines("print(rac.json.encode(rac.json.decode([==[\(json)]==])))")
    #expect(lines == [json])
  }

  @Test func listsOfNothingButNilAreLists() throws {
    let lines = try Script.lines(
      """
      print(rac.json.encode(rac.from{n = 2}:to_table()), rac.json.encode(rac.tuple(nil)))
      local list = rac.json.decode("[null]")
      list[1] = "x"
      print(rac.json.encode(list), #list, list.n)
      local object = rac.json.decode('{"n":0}')
      object.x = 1
      print(rac.json.encode(object))
      """)
    #expect(lines == ["[null,null]\t[null]", #"["x"]\#t1\#t1"#, #"{"n":0,"x":1}"#])
  }

  @Test(arguments: [
    ("9223372036854775808", "9.2233720368548e+18"),
    ("-9223372036854775809", "-9.2233720368548e+18"),
    ("18446744073709551615", "1.844674407371e+19"),
    (#"["\"", "]", 99999999999999999999]"#, "1e+20"),
  ])
  func integersBeyond64BitsAreFloats(_ json: String, _ value: String) throws {
    let lines = try Script.lines(
      """
      local v = rac.json.decode([==[\(json)]==])
      if type(v) == "table" then v = v[#v] end
      print(math.type(v), v)
      """)
    #expect(lines == ["float\t\(value)"])
  }

  @Test func bothWaysGoEquallyDeep() throws {
    let lines = try Script.lines(
      """
      local function deep(n) return ("["):rep(n) .. ("]"):rep(n) end
      print(#rac.json.encode(rac.json.decode(deep(1000))))
      local _, e = pcall(rac.json.decode, deep(1001))
      print(e.kind, e.message)
      local t = {}
      for i = 1, 1000 do t = {t} end
      print(pcall(rac.json.encode, t))
      """)
    #expect(
      lines == [
        "2000", "input\tthe input is not JSON: it is nested more than 1000 deep",
        "false\tbad argument #1 to 'rac.json.encode' (the table is nested more than 1000 deep, or contains itself, at [1][1][1][1][1][1][1][1]…)",
      ])
  }
}
