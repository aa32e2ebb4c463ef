import Testing
import TextFiles

/// Text and bytes where JSON comes in and goes out: U+10FE80 to U+10FEFF represent bytes inside of the
/// program.
@Suite struct JSONTextTests {
  @Test("bytes that are not UTF-8 are no JSON")
  func latin1() async {
    let run = await raclette("exec", "-e", #"print(rac.json.decode("\"caf\xe9\""))"#)
    #expect(
      run.errors
        == """
        raclette: error: the input is not JSON: unable to decode byte 0xe9 near '"caf' (line 1, column 4)

        """, "\(run)")
    #expect(run.status == 2)
  }

  @Test("every character comes out as it went in")
  func characters() async {
    let run = await raclette(
      "exec", "-e",
      """
      for _, text in ipairs{"\\u{10FEC9}", "\\u{10FE80}", "\\u{10FEFF}", "\\u{10FE7F}", "é"} do
        local document = rac.json.encode{[text] = text}
        assert(utf8.len(document), document)
        assert(rac.json.decode(document)[text] == text)
        assert(rac.json.decode('"' .. text .. '"') == text)
        print(rac.json.encode(text))
      end
      """)
    #expect(
      run.output == """
        "\\udbff\\udec9"
        "\\udbff\\ude80"
        "\\udbff\\udeff"
        "\u{10FE7F}"
        "é"

        """, "\(run)")
  }

  @Test("a process gets the same bytes, however the input spells them; events are UTF-8")
  func input() async {
    let folder = Folder(
      commands: """
        rac.command{name = "e", params = {{name = "x"}}, run = function(input)
          return rac.exec{"od", "-An", "-tx1", stdin = input.x}
        end}
        rac.command{name = "value", run = function() return "\\u{10FEC9}" end}
        """)
    for text in [#"\udbff\udec9"#, "\u{10FEC9}"] {
      let run = await raclette("e", "--input", #"{"x":"\#(text)"}"#, in: folder)
      #expect(run.output == " f4 8f bb 89\n", "\(run)")
    }
    let events = await raclette("run", "--json", "value", in: folder)
    #expect(events.output.contains(#""value":"\udbff\udec9""#), "\(events)")
  }

  @Test("different inputs have different keys")
  func keys() async {
    let place = BatchFolder(
      "rac.command{name = 'e', run = function() end}",
      plan: [#"{"command": "e", "input": {"x": "\udbff\udec9"}}"#])
    place.folder.write(#"{"command": "e", "input": {"x": "\udbff\udec8"}}"#, to: "b.jsonl")
    for plan in ["plan.jsonl", "b.jsonl"] {
      let run = await place.batch(plan, "--journal", "k.db", "--resume")
      #expect(run.errors.contains("1 completed"), "\(run)")
    }
  }

  @Test(
    "the fault of a text is named, wherever a big integer is",
    arguments: [
      (#"[9223372036854775808, "\\udc00"]"#, #"invalid Unicode '\uDC00'"#),
      ("[9223372036854775808, x]", "invalid token near 'x' (line 1, column 23)"),
      (#"[1\0,2]"#, "a zero byte outside of a string (line 1, column 3)"),
    ])
  func faults(_ text: String, _ reason: String) async {
    let run = await raclette("exec", "-e", "print(rac.json.decode('\(text)'))")
    #expect(run.status == 2 && run.errors.contains(reason), "\(run)")
  }
}
