import Testing

/// How values are shown: exactly, in columns, within limits.
struct ReplDisplayTests {
  private func repl(_ lines: String...) async -> Outcome {
    await raclette("repl", in: Folder(), input: lines.joined(separator: "\n") + "\n")
  }

  @Test func differentStringsHaveDifferentTexts() async {
    let run = await repl(
      #""\xfe\x80a", "\u{fffd}""#, #""\u{e9}", "e\u{301}", "\u{212b}""#, #""a\u{a0}b\u{200b}""#,
      #""\27[2J\u{9b}\0""#, #""\u{1f468}\u{200d}\u{1f469}", "日本語", "\u{301}""#, #""'\"\\""#)
    #expect(
      run.lines == [
        #""\xfe\x80a"\#t"\#u{FFFD}""#, #""\#u{E9}"\#t"e\u{301}"\#t"\u{212B}""#,
        #""a\u{A0}b\u{200B}""#, #""\x1b[2J\u{9B}\x00""#,
        #""\#u{1F468}\#u{200D}\#u{1F469}"\#t"日本語"\#t"\u{301}""#, #""'\"\\""#,
      ], "\(run.lines)")
  }

  @Test func differentFloatsHaveDifferentTexts() async {
    let run = await repl(
      "0.1 + 0.2", "{0.3, 1e15, 1e16, 2^53, 5e-324, -0.0, 3.0}", "1 / 0, math.pi",
      "print(0.1 + 0.2)", "tostring(0.1 + 0.2)", "rac.just(0.1 + 0.2)")
    #expect(
      run.lines == [
        "0.30000000000000004",
        "{0.3, 1000000000000000.0, 1e+16, 9007199254740992.0, 5e-324, -0.0, 3.0}",
        "inf\t3.141592653589793", "0.3", "\"0.3\"", "0.30000000000000004",
      ])
  }

  @Test func keysThatAreNoNamesAreQuoted() async {
    let run = await repl(
      #"{["end"] = 1, ["\xff"] = 2, [1.5] = 3, [true] = 4, ok = 5, ["a b"] = 6}"#)
    #expect(
      run.lines == [
        #"{["a b"] = 6, ["end"] = 1, ok = 5, ["\xff"] = 2, [1.5] = 3, [true] = 4}"#
      ], "\(run.lines)")
  }

  @Test func functionsAreShownByParametersAndPlace() async {
    let run = await repl(
      "function add(a, b, ...) return a + b end", "add", "function(x) end", "string.rep",
      "rac.json.encode", "{tostring, add}")
    #expect(
      run.lines == [
        "function add(a, b, ...)  stdin:1", "function(x)  stdin:3",
        "function string.rep(s, n [, sep]): string", "function rac.json.encode([value]): string",
        "{function tostring(v): string, function add(a, b, ...)  stdin:1}",
      ], "\(run.lines)")
  }

  @Test func tablesAreNamedByTheirMetatable() async {
    let run = await repl(
      "Account = {} Account.__index = Account", "setmetatable({balance = 1}, Account)",
      "setmetatable({1}, {__name = 'Point'})", "setmetatable({2}, {})")
    #expect(run.lines == ["Account{balance = 1}", "Point{1}", "{2} <metatable>"])
  }

  @Test func controlCharactersAreNeverRaw() async {
    let run = await repl(
      "setmetatable({}, {__tostring = function() return 'a\\27[31mb\\7' end})",
      "error('c\\27[31md')", "rac.just('e\\27f')")
    #expect(run.lines == ["a\\e[31mb\\x07", "\"e\\x1bf\""])
    #expect(run.errorLines == ["error: stdin:2: c\\e[31md"])
  }

  @Test func longListsStandInAlignedColumns() async {
    let run = await repl(
      "local t = {} for i = 1, 30 do t[i] = i * i end return t",
      "local t = {} for i = 1, 24 do t[i] = ('日'):rep(i * i % 5 + 1) end t.name = 1 return t")
    #expect(
      run.lines == [
        "{", "    1,   4,   9,  16,  25,  36,  49,  64,  81, 100, 121, 144, 169, 196, 225,",
        "  256, 289, 324, 361, 400, 441, 484, 529, 576, 625, 676, 729, 784, 841, 900", "}", "{",
        #"  "日日", "日日日日日", "日日日日日", "日日", "日","#,
        #"  "日日", "日日日日日", "日日日日日", "日日", "日","#,
        #"  "日日", "日日日日日", "日日日日日", "日日", "日","#,
        #"  "日日", "日日日日日", "日日日日日", "日日", "日","#,
        #"  "日日", "日日日日日", "日日日日日", "日日","#,
        "  name = 1", "}",
      ], "\(run.output)")
  }

  @Test func moreShowsWhatWasLeftOut() async {
    let run = await repl(
      "local t = {} for i = 1, 99 do t[i] = 'item ' .. i end return t", ":more",
      ":more {{{{{{{'deep'}}}}}}}")
    #expect(run.lines.contains("  … 49 more"))
    #expect(run.lines.contains { $0.contains("\"item 99\"") })
    #expect(run.lines.last == "{{{{{{{\"deep\"}}}}}}}")
  }

  @Test func moreReachesAllOfAValue() async {
    let run = await repl(
      "local t = {} for i = 1, 120000 do t['k' .. i] = i end return nil, t", ":more",
      "local t = {} for i = 1, 20000 do t[i] = {i} end return nil, t", ":more",
      "#('x'):rep(2000000)", ":more ('x'):rep(2000000)")
    #expect(run.errors == "")
    #expect(run.lines.contains("  k120000 = 120000,"))
    #expect(run.lines.contains("  {20000}"))
    #expect(run.lines.last?.utf8.count == 2_000_002)
    #expect(run.lines.count { $0.contains("… ") } == 2, "what the usual text leaves out")
  }

  @Test func ppPrintsAllLevelsInPlace() async {
    let run = await repl(
      "deep = {{{{{{'in'}}}}}}", "deep", "pp(deep, 1)", ":pp", "for i = 1, 2 do pp(i) end",
      "function pp() print('mine') end", "pp()")
    #expect(
      run.lines == [
        "{{{{{…}}}}}", "{{{{{{\"in\"}}}}}}", "1", "{{{{{{\"in\"}}}}}}", "1", "2", "mine",
      ], "\(run)")
  }

  @Test func aListOfRecordsIsATable() async {
    let run = await repl(
      "{{name = 'first', size = 1, path = '/usr/share/doc/first'}, "
        + "{name = 'second one', size = 20, path = '/usr/share'}, {name = '日本', size = 3.5}}",
      "{{a = 1}, {a = 2}}",
      "local t = {} for i = 1, 60 do t[i] = {id = i, square = i * i} end return t",
      "{{name = ('a'):rep(30)}, {name = ('b'):rep(30), inner = {1}}}",
      "{{name = ('a'):rep(30)}, {other = ('b'):rep(30)}, {third = 3}}")
    let lines = run.lines
    #expect(
      lines.prefix(5) == [
        "   name          path                    size",
        "1  \"first\"       \"/usr/share/doc/first\"     1",
        "2  \"second one\"  \"/usr/share\"              20",
        "3  \"日本\"                                 3.5", "{{a = 1}, {a = 2}}",
      ], "\(run.output)")
    #expect(lines.dropFirst(5).prefix(2) == ["    id  square", " 1   1       1"])
    #expect(lines.dropFirst(55).first == "50  50    2500")
    #expect(lines.dropFirst(56).first == "… 10 more")
    #expect(
      lines.dropFirst(57) == [
        "{", "  {name = \"\(String(repeating: "a", count: 30))\"},",
        "  {inner = {1}, name = \"\(String(repeating: "b", count: 30))\"}", "}", "{",
        "  {name = \"\(String(repeating: "a", count: 30))\"},",
        "  {other = \"\(String(repeating: "b", count: 30))\"},", "  {third = 3}", "}",
      ], "\(run.output)")
  }

  @Test func whatExceedsTheScreenGoesToThePager() async {
    let lines = await atPrompt(
      ["pager": "#!/bin/sh\necho paged $(grep -c item \"$1\")\n"],
      environment: ["PAGER": "sh ./pager"]
    ) { session in
      session.enter("t = {} for i = 1, 99 do t['k' .. i] = 'item' end")
      session.enter("t")
      session.wait(forLine: ":more shows the rest")
      session.enter(":more")
      session.wait(forLine: "paged 99")
      session.enter(":more {1}")
      session.wait(forLine: "{1}")
      return session.screen.lines
    }
    #expect(lines.contains("paged 99"))
  }

  @Test func valuesHaveColoursByKind() async {
    let colors = await atPrompt { session in
      session.enter("return {12, 'text', false}")
      session.wait(for: "{12, \"text\", false}")
      return ["{12, \"text\", false}"].map { _ in
        [" \"text\"", "12, "].map { session.screen.color(of: String($0.drop { $0 == " " })) }
      }
    }
    #expect(colors == [[2, 6]])
  }
}
