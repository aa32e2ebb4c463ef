import Testing

@testable import Scripting

@Suite("A name that is not defined") struct UnknownNameTests {
  @Test(arguments: [
    ("rac.comand", "'rac.comand' does not exist; did you mean 'rac.command'?"),
    ("rac.log.wran", "'rac.log.wran' does not exist; did you mean 'rac.log.warn'?"),
    ("rac.jsn", "'rac.jsn' does not exist; did you mean 'rac.json'?"),
    ("rac.take_last", "'rac.take_last' does not exist; signals have it: signal:take_last(…)"),
    ("rac.xyzzy", "'rac.xyzzy' does not exist"), ("rac[1]", "'rac.1' does not exist"),
  ])
  func ofTheLibraryIsAnErrorThatTellsTheRightOne(_ code: String, _ message: String) throws {
    let result = try Script.run("\nlocal x = \(code)")
    #expect(result.failure?.message == "test:2: \(message)")
  }

  @Test func canStillBeAskedForAndDefined() throws {
    let lines = try Script.lines(
      "rac.mine = 1 print(rac.mine, rawget(rac, 'future'), pcall(function() return rac.other end))")
    #expect(lines == ["1\tnil\tfalse\ttest:1: 'rac.other' does not exist"])
  }

  @Test(arguments: [
    (#"rac.exec("ls -l")"#, #"rac.sh("ls -l") or rac.exec{"ls", "-l"}"#),
    (#"rac.exec("ls | wc")"#, #"rac.sh("ls | wc")"#),
    (#"rac.exec("ls", "-l", 2)"#, #"rac.exec{"ls", "-l", "2"}"#),
    (#"rac.exec("say \"x\"")"#, #"rac.sh("say \"x\"")"#),
  ])
  func ofAFormIsAnsweredWithTheFormsThatThereAre(_ code: String, _ forms: String) throws {
    #expect(
      try Script.run(code).failure?.message
        == "test:1: bad argument #1 to 'exec' (table expected, got string; did you mean \(forms)?)"
    )
  }

  @Test func ofAnotherTypeIsToldAsBefore() throws {
    #expect(
      try Script.run("rac.exec(1)").failure?.message
        == "test:1: bad argument #1 to 'exec' (table expected, got number)")
  }
}

@Suite("A table that a script raises") struct RaisedTableTests {
  @Test(arguments: [
    ("{code = 7}", "{code = 7}"), ("{}", "{}"),
    ("{1, {2, x = {3, {4}}}}", "{1, {2, x = {3, {…}}}}"),
    ("{['a b'] = true, ['end'] = 'x\\n\\27[2J'}", #"{["a b"] = true, ["end"] = "x\n\x1b[2J"}"#),
    ("{[3] = 'x', [true] = 1}", #"{[3] = "x", [true] = 1}"#),
    ("{message = 'said'}", "said"),
    ("setmetatable({}, {__tostring = function() return 'own' end})", "own"),
  ])
  func isToldByItsFields(_ table: String, _ text: String) throws {
    let place = text.hasPrefix("{") ? "test:1: " : ""
    #expect(try Script.run("error(\(table))").failure?.message == place + text)
    #expect(try Script.run("rac.error(\(table)):wait()").failure?.message.hasSuffix(text) == true)
    #expect(try Script.lines("rac.error(\(table)):subscribe()") == ["unhandled: \(text)"])
  }

  @Test func isToldInOneLineOfLimitedLength() throws {
    let long = try Script.run("error{('x'):rep(1000), y = ('z'):rep(1000)}").failure?.message ?? ""
    #expect(long.count < 320)
    let many = try Script.run("local t = {} for i = 1, 1000 do t[i] = i end error(t)").failure
    #expect(many?.message == "test:1: {" + (1...20).map { "\($0), " }.joined() + "…}")
    let own = try Script.run("local t = {} t.t = t error(t)").failure
    #expect(own?.message == "test:1: {t = {t = {t = {…}}}}")
  }

  @Test func arrivesUnchanged() throws {
    #expect(
      try Script.lines("local t = {code = 7} print(select(2, pcall(error, t)) == t)") == ["true"])
  }
}
