import Scripting
import Testing

extension PageContentTests {
  /// Modules of the page without a document: text as a terminal leaves it.
  @Suite("text as a terminal leaves it")
  struct TerminalTextModuleTests {
    private let escape = "\u{1B}"

    @Test("a line is what a terminal would leave")
    func plainText() async throws {
      let e = escape
      let cases: [(text: String, left: String)] = [
        ("plain", "plain"),
        ("10%\r100%", "100%"),
        ("a longer one\rshort", "shortger one"),
        ("a longer one\r\(e)[Kshort", "short"),
        ("kept\(e)[K", "kept"),
        ("gone\(e)[2K\rnew", "new"),
        ("abc\u{8}\u{8}X", "aXc"),
        ("a\tb\rX", "X       b"),
        ("one\r", "one"),
        ("\(e)]0;title\u{7}text", "text"),
        ("\(e)]8;;http://a\(e)\\link\(e)]8;;\(e)\\", "link"),
        ("\(e)[3A\(e)[10;20Hmoved", "moved"),
        ("abc\(e)[2D\(e)[1CX\(e)[6GY", "abX  Y"),
        ("\(e)[?25lhidden cursor\(e)[?25h", "hidden cursor"),
        ("\(e)(Bcharset\(e)=", "charset"),
        ("unfinished\(e)[31", "unfinished"),
        ("unfinished\(e)]0;title", "unfinished"),
        ("bell\u{7} nul\u{0} del\u{7F} nel\u{85}", "bell␇ nul␀ del␡ nel<85>"),
        ("\u{9B}31mone byte", "one byte"),
        ("größer 😀\rG", "Größer 😀"),
      ]
      let left = try await evaluateModule("ansi", cases.map { "m.plainText(\(quoted($0.text)))" })
      #expect(left == cases.map { quoted($0.left) })
    }

    @Test("colours and weights become styles, which the next line begins with")
    func styles() async throws {
      let e = escape
      let cases: [(codes: String, style: String)] = [
        ("[1;31m", #"{"foreground":1,"bold":true}"#),
        ("[1;31m\(e)[22m", #"{"foreground":1}"#),
        ("[1;31m\(e)[m", "{}"),
        ("[31;0m", "{}"),
        ("[97;100m", #"{"foreground":15,"background":8}"#),
        ("[38;5;208m", #"{"foreground":208}"#),
        ("[48;2;1;2;255m", ##"{"background":"#0102ff"}"##),
        ("[38:2::1:2:3m", ##"{"foreground":"#010203"}"##),
        ("[38;5;300m", "{}"),
        ("[38;2;1m", "{}"),
        ("[38;5;1;1m", #"{"foreground":1,"bold":true}"#),
        ("[4:0m", "{}"),
        ("[3;4;7;9m", #"{"italic":true,"underline":true,"inverse":true,"strike":true}"#),
        ("[>4m", "{}"),
        ("[31m\(e)[39m", "{}"),
      ]
      let read = try await evaluateModule(
        "ansi",
        cases.map {
          """
          Object.fromEntries(Object.entries(m.readLine(\(quoted("a" + e + $0.codes + "b"))).style)
            .filter(([, value]) => value !== null && value !== false))
          """
        })
      #expect(read == cases.map(\.style))
    }

    @Test("runs of one style are one span")
    func spans() async throws {
      let e = escape
      let text = "a\(e)[31mb\(e)[0m\(e)[31mc\(e)[0m\rX"
      let read = try await evaluateModule(
        "ansi",
        ["m.readLine(\(quoted(text))).spans.map((span) => [span.text, span.style.foreground])"])
      #expect(read == [#"[["X",null],["bc",1]]"#])
    }

    @Test("no bytes of a line make it fail, or leave a control character")
    func anyBytes() async throws {
      let read = try await evaluateModule(
        "ansi",
        [
          """
          (() => {
            const parts = [
              "\\x1b", "\\x1b[", "\\x9b", "\\x1b]", "\\x1b\\\\", "\\x07", "\\r", "\\b", "\\t",
              "\\x00", "\\x85", "m", "K", "1", "38;5;", ";", ":", "2", "?", "a", "é", "😀", " ",
            ];
            let state = 1;
            const random = (count) => {
              state = (state * 48271) % 2147483647;
              return state % count;
            };
            let style;
            for (let round = 0; round < 20_000; round += 1) {
              const length = random(24);
              const text = Array.from({length}, () => parts[random(parts.length)]).join("");
              const line = m.readLine(text, style);
              style = line.style;
              const left = line.spans.map((span) => span.text).join("");
              if (/[\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f]/.test(left)) return text;
              if (left !== m.plainText(text)) return text;
            }
            return "";
          })()
          """
        ])
      #expect(read == [#""""#])
    }

    @Test("a program that goes back to lines above writes them again, as in a terminal")
    func linesAbove() async throws {
      let e = escape
      let cases: [(calls: [String], left: String)] = [
        (["a:a 0%", "a:b 0%", "a:\(e)[2A\(e)[2Ka 50%", "a:\(e)[2Kb 9%"], "a 50%|b 9%"),
        (["a:one", "a:two", "a:\(e)[2Afour"], "four|two"),
        (["a:a", "a:b", "a:c", "a:\(e)[2A\(e)[Jx", "a:y"], "a|x|y"),
        (["a:a", "a:\(e)[99Ab", "a:c"], "b|c"),
        (["a:a", "a:b", "a:\(e)[1F\(e)[Kc\(e)[1Ed"], "a|c|d"),
        (["a:a", "a:\(e)[2J\(e)[Hb"], "a|b"),
        (["p:a\nb\nc", "p:\(e)[1A\rX", "p:Y\nZ"], "a|XY|Z"),
        (["p:ab", "p:c\n", "p:d"], "abc|d"),
        (["a:a", "b:\(e)[1Ab", "b:\(e)[1A\(e)[Kbc", "a:\(e)[1A\(e)[Kdone", "a:e"], "done|e"),
        (["a:a", "a:b", "b:\(e)[2A\(e)[J", "e:"], "a|b"),
        (["a:\(e)[31mred", "a:\(e)[1Ablue\(e)[0m", "a:plain"], "blue|plain"),
        (["a:a", "a:", "a:b"], "a||b"),
      ]
      let read = try await evaluateModule(
        "lines",
        cases.map { calls, _ in
          """
          (() => {
            const lines = new m.Lines();
            const calls = {a: "append", p: "appendPiece", b: "begin", e: "end"};
            for (const call of \(JSONValue.list(calls.map { .string($0) }).text)) {
              lines[calls[call[0]]](call.slice(2));
            }
            return Array.from({length: lines.length}, (_, line) => lines.plain(line)).join("|");
          })()
          """
        } + [
          """
          (() => {
            const lines = new m.Lines();
            const changes = [];
            for (const text of ["a", "b", "\\x1b[31mc\\x1b[m", "\\x1b[1A\\x1b[3Gd"]) {
              lines.append(text);
              changes.push(lines.takeChange());
            }
            lines.append("note", m.Kind.note);
            return [changes, lines.takeChange(), lines.takeChange(), lines.text(2), lines.text(3)];
          })()
          """
        ])
      #expect(
        read == cases.map { quoted($0.left) } + [
          #"[[0,1,2,2],3,null,"\u001b[38;5;1mc\u001b[m d","note"]"#
        ])
    }

    @Test("text of a program can be read on its ground, light and dark")
    func contrast() async throws {
      let read = try await evaluateModule(
        "text-style",
        [
          """
          await (async () => {
            const {contrast, parseColor} = await import("/contrast.js");
            const all = [null, ...Array(256).keys(), "#0102ff", "#fefefe"];
            const some = [null, 0, 1, 7, 8, 15, 46, 201, 244, "#777777"];
            const low = [];
            for (const dim of [false, true]) for (const inverse of [false, true]) {
              for (const background of all) for (const foreground of some) {
                const style = {...m.PLAIN, foreground, background, dim, inverse};
                const {color, background: ground} = m.colors(style);
                const themes = (text, usual) =>
                  text === "" ? usual : text.match(/#[0-9a-f]{6}/g).map(parseColor);
                const texts = themes(color, ["#1d2026", "#dfe2e7"].map(parseColor));
                const grounds = themes(ground, ["#fcfcfd", "#121417"].map(parseColor));
                for (const theme of [0, 1]) {
                  const one = texts[theme] ?? texts[0];
                  const other = grounds[theme] ?? grounds[0];
                  if (contrast(one, other) < 4.45) low.push([style, color, ground]);
                }
              }
            }
            return low.slice(0, 3);
          })()
          """,
          "m.colors({...m.PLAIN, foreground: 1})",
          "m.colors(m.PLAIN)",
        ])
      #expect(
        read == [
          "[]", ##"{"color":"light-dark(#c4302b, #ff7b72)","background":""}"##,
          #"{"color":"","background":""}"#,
        ])
    }
  }
}
