import Scripting
import Testing

extension PanelPageTests {
  /// The page's modules without a document, where browsers execute them.
  @Suite("its modules")
  struct ModuleTests {
    private static let escape = "\u{1B}"

    /// Evaluates an expression with a module as `m`.
    private func evaluate(_ name: String, _ expressions: [String]) async throws -> [String] {
      let panel = await RunningPanel(
        ["--listen", "127.0.0.1:0"], in: Folder(commands: "rac.command{name = 'a', run = 'true'}"))
      let page = try await BrowserPage(in: Chromium())
      try await page.open(panel.address)
      let values = try await page.evaluate(
        "import('/\(name).js').then(async (m) => [\(expressions.joined(separator: ","))]"
          + ".map((value) => JSON.stringify(value)))")
      return values.elements.compactMap(\.string)
    }

    @Test("a line is what a terminal would leave")
    func plainText() async throws {
      let e = Self.escape
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
      let left = try await evaluate("ansi", cases.map { "m.plainText(\(quoted($0.text)))" })
      #expect(left == cases.map { quoted($0.left) })
    }

    @Test("colours and weights become styles, which the next line begins with")
    func styles() async throws {
      let e = Self.escape
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
      let read = try await evaluate(
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
      let e = Self.escape
      let text = "a\(e)[31mb\(e)[0m\(e)[31mc\(e)[0m\rX"
      let read = try await evaluate(
        "ansi",
        ["m.readLine(\(quoted(text))).spans.map((span) => [span.text, span.style.foreground])"])
      #expect(read == [#"[["X",null],["bc",1]]"#])
    }

    @Test("no bytes of a line make it fail, or leave a control character")
    func anyBytes() async throws {
      let read = try await evaluate(
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

    @Test("lines know the colours that the ones before left, each kind its own")
    func carriedColours() async throws {
      let e = Self.escape
      let read = try await evaluate(
        "lines",
        [
          """
          (() => {
            const lines = new m.Lines();
            lines.append(\(quoted("\(e)[32mgreen")));
            lines.append("an error", m.Kind.error);
            lines.append(\(quoted("still\(e)[0m")));
            lines.append("plain");
            return [0, 1, 2, 3].map((index) => lines.style(index).foreground);
          })()
          """,
          """
          (() => {
            const lines = new m.Lines();
            for (const piece of ["a", "b\\nc", "\\n", "d\\n"]) lines.appendPiece(piece);
            lines.append("e\\nf");
            return Array.from({length: lines.length}, (_, index) => lines.text(index));
          })()
          """,
        ])
      #expect(read == ["[null,null,2,null]", #"["ab","c","d","e","f"]"#])
    }

    @Test("a program that goes back to lines above writes them again, as in a terminal")
    func linesAbove() async throws {
      let e = Self.escape
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
      let read = try await evaluate(
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

    @Test("lines take the rows that they need up to a column, and are found by them")
    func layout() async throws {
      let read = try await evaluate(
        "line-layout",
        [
          """
          await (async () => {
            const {Lines} = await import("/lines.js");
            const lines = new Lines();
            const layout = new m.LineLayout(lines);
            for (const text of ["", "12345", "123456", "\\x1b[31m123456789012\\x1b[m", "日本語"]) {
              lines.append(text);
            }
            layout.update(lines.takeChange());
            const seen = [layout.rows];
            layout.wrap(5);
            const rows = () => Array.from({length: layout.rows}, (_, row) => layout.lineAt(row));
            seen.push(rows(), [0, 1, 2, 3, 4].map((line) => layout.rowOf(line)));
            lines.append("\\x1b[2A\\x1b[Kx");
            layout.update(lines.takeChange());
            seen.push(rows());
            layout.wrap(Infinity);
            return [...seen, layout.rows, layout.rowOf(3), layout.lineAt(3)];
          })()
          """
        ])
      #expect(
        read == ["[5,[0,1,2,2,3,3,3,4,4],[0,1,2,4,7],[0,1,2,2,3,4,4],5,3,3]"])
    }

    @Test("addresses and places in files are links, without what ends their sentence")
    func links() async throws {
      let cases: [(text: String, links: String)] = [
        ("see https://a.example/b?c=1, or", "https://a.example/b?c=1"),
        ("(https://a.example/x_(y)).", "https://a.example/x_(y)"),
        ("http://a.example javascript:alert(1) file:///etc/passwd", ""),
        ("https://", ""),
        ("src/a.c:3:4: warning", "src/a.c:3:4"),
        ("at ./lib/x-y.lua:12 and b.swift:7", "./lib/x-y.lua:12 b.swift:7"),
        ("12:30:05 1.5:3 a:1 host.example:8080/x", ""),
      ]
      let read = try await evaluate(
        "line-links",
        cases.map { "m.findLinks(\(quoted($0.text))).map((link) => link.text).join(' ')" })
      #expect(read == cases.map { quoted($0.links) })
    }

    @Test("text of a program can be read on its ground, light and dark")
    func contrast() async throws {
      let read = try await evaluate(
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

    @Test("an output is taken once and in order, pieces are put together, and what is lost is told")
    func record() async throws {
      let read = try await evaluate(
        "output-record",
        [
          """
          await (async () => {
            const {readJSON} = await import("/json-text.js");
            const record = new m.OutputRecord();
            const took = [
              {n: 0, type: "lost", missed: 2}, {n: 2, type: "next", value: "a", chunk: true},
              {n: 2, type: "next", value: "again"}, {n: 4, type: "next", value: "early"},
              {n: 3, type: "next", value: "b\\n", chunk: true}, readJSON('{"n":4,"type":"next","value":{"x":1.0}}'),
              {n: 5, type: "stderr", value: "err"}, {n: 6, type: "lost", missed: 1},
            ].map((output) => record.take(output));
            const {lines} = record;
            return [
              took, record.next,
              Array.from({length: lines.length}, (_, index) => [lines.kind(index), lines.text(index)]),
            ];
          })()
          """
        ])
      #expect(
        read == [
          "[[true,true,true,false,true,true,true,true],7,"
            + "[[2,\"2 lines are no longer kept\"],[0,\"ab\"],[0,\"{\\\"x\\\":1.0}\"],[1,\"err\"],"
            + "[2,\"1 line is no longer kept\"]]]"
        ])
    }

    @Test("what is only shown of a document keeps its digits, its order and its spelling")
    func shownText() async throws {
      let shown = [
        "9007199254740993", "-0", "1.0", "1e400", "9223372036854775807", #"{"10":1,"9":[2.50]}"#,
        #"[{"a":"]}\\"},"\"",{}]"#, "[]",
      ]
      let read = try await evaluate(
        "json-text",
        shown.map { "String(m.readJSON(\(quoted("{\"n\":1,\"value\":\($0),\"x\":2}"))).value)" } + [
          #"m.readJSON('[{"value":"a\\nb"},{"value":true},{"value":null},{"value":1}]').slice(0, 3)"#,
          #"m.readJSON('{"params":[{"default":4.0,"choices":[1.0,"b"]}],"input":{"n":1}}').params"#,
          #"m.readJSON('{ "input" : {"a" : 1.0, "a":"é"} , "n" : [1, {"b":2}] }')"#,
          #"m.readJSON('{"input":{"a":1.0,"b":"é"}}').input.members.map(([n, v]) => n + "=" + v)"#,
          "m.readJSON('{\"value\":[1.0,\"b\"]}').value.elements.map(String)",
          "[m.readJSON('{\"value\":1.0}').value, m.readJSON('{\"value\":{}}').value]"
            + ".map((value) => [value.isNumber, value.approximation, value.members, value.elements])",
        ])
      #expect(
        read == shown.map(quoted) + [
          #"[{"value":"a\nb"},{"value":true},{"value":null}]"#,
          #"[{"default":"4.0","choices":["1.0","b"]}]"#,
          #"{"input":"{\"a\" : 1.0, \"a\":\"é\"}","n":[1,{"b":2}]}"#,
          #"["a=1.0","b=é"]"#,
          #"["1.0","b"]"#,
          "[[true,1,null,null],[false,{},[],null]]",
        ])
    }

    @Test("a list follows its end, too, if its view grows while rows come")
    func growingView() async throws {
      let read = try await evaluate(
        "virtual-list",
        [
          """
          await (async () => {
            const viewport = document.createElement("div");
            viewport.style.overflow = "auto";
            viewport.style.height = "90px";
            document.body.append(viewport);
            const layout = {rows: 100, lineAt: (row) => row, rowOf: (line) => line};
            const list = new m.VirtualList(viewport, 18, layout, (node, line) => {
              node.textContent = line;
            });
            const frames = () => new Promise((done) =>
              requestAnimationFrame(() => requestAnimationFrame(done)));
            list.update();
            await frames();
            const seen = [viewport.scrollTop];
            viewport.style.height = "180px";
            layout.rows = 200;
            viewport.dispatchEvent(new Event("scroll"));
            seen.push(list.isFollowing);
            list.update();
            await frames();
            seen.push(viewport.scrollTop);
            viewport.scrollTop -= 50;
            viewport.dispatchEvent(new Event("scroll"));
            seen.push(list.isFollowing);
            return seen;
          })()
          """
        ])
      #expect(read == ["[1710,true,3420,false]"])
    }

    @Test("a list that is too high for browsers is scrolled on a smaller scale, from end to end")
    func scale() async throws {
      func scale(_ count: Int, _ expression: String) -> String {
        "(() => { const s = new m.ScrollScale(18); s.update(\(count), 540); return \(expression); })()"
      }
      let read = try await evaluate(
        "scroll-scale",
        [
          scale(10, "[s.height, s.end, s.rows(0)]"),
          scale(1_000, "[s.height, s.end, s.rows(90), s.top(5, 90)]"),
          scale(1_000, "s.rows(s.end)"),
          scale(10_000_000, "[s.height, s.rows(0), s.rows(s.end)]"),
          scale(10_000_000, "s.rows(s.position(9_000_000))"),
          scale(10_000_000, "s.top(9_999_999, s.end) + 18 - s.end"),
          scale(10_000_000, "Math.abs(s.offset(s.position(123_456_789)) - 123_456_789) < 12"),
        ])
      #expect(
        read == [
          #"[180,0,{"first":0,"end":10}]"#,
          #"[18000,17460,{"first":5,"end":35},90]"#,
          #"{"first":970,"end":1000}"#,
          #"[15000000,{"first":0,"end":30},{"first":9999970,"end":10000000}]"#,
          #"{"first":500000,"end":500030}"#,
          "540",
          "true",
        ])
    }

    @Test("server-sent events are put together from pieces that are cut anywhere")
    func eventText() async throws {
      let stream =
        "id: 1\ndata: {\"a\":1}\ndata: {\"a\":2}\n\n: alive\n\nid: 2\nevent: p\ndata: {}\n\n"
      let read = try await evaluate(
        "event-text",
        [1, 3, 1_000].map { length in
          """
          (() => {
            const text = new m.EventText();
            const stream = \(quoted(stream));
            const found = [];
            for (let index = 0; index < stream.length; index += \(length)) {
              found.push(...text.take(stream.slice(index, index + \(length))));
            }
            return found.map(({place, page, text}) => [place, page, text]);
          })()
          """
        })
      #expect(
        Set(read) == [#"[["1","","{\"a\":1},{\"a\":2}"],["2","p","{}"]]"#])
    }

    @Test("executions of a command that run at a time are drawn on tracks of their own")
    func tracks() async throws {
      let read = try await evaluate(
        "tracks",
        [
          """
          (() => {
            const run = (id, command, started, ended, worker) =>
              ({id, command, started, ended, worker});
            const {lanes, track} = m.layOut([
              run(1, "a", 0, 5), run(2, "b", 1, 2), run(3, "a", 2, 3), run(4, "a", 4),
              run(5, "b", 2, 9), run(6, "a", 6, 7), run(7, "a", 8, 9, "w"),
            ], 10);
            return [
              lanes.map(({name, tracks}) => name + tracks),
              [...track.values()].map(({lane, track}) => [lane, track]),
            ];
          })()
          """
        ])
      #expect(read == ["[[\"a2\",\"b1\",\"w1\"],[[0,0],[1,0],[0,1],[0,1],[1,0],[0,0],[2,0]]]"])
    }

    @Test("a search finds the lines that have a text, and those that come later")
    func search() async throws {
      let read = try await evaluate(
        "line-search",
        [
          """
          await (async () => {
            const {Lines} = await import("/lines.js");
            const lines = new Lines();
            const search = new m.LineSearch(lines);
            const found = () => new Promise((done) =>
              search.addEventListener("found", done, {once: true}));
            for (const text of ["Abc", "x", \(quoted("a\u{1B}[1mbc\u{1B}[m"))]) lines.append(text);
            const counts = [];
            for (const wanted of ["abc", "Abc", "[1m", ""]) {
              search.search(wanted);
              await found();
              counts.push(search.count);
            }
            search.search("abc");
            await found();
            lines.appendPiece("ab");
            search.goOn(lines.takeChange());
            await found();
            lines.appendPiece("c\\n");
            search.goOn(lines.takeChange());
            await found();
            counts.push(search.count);
            search.step(-1, 3);
            counts.push(search.line);
            search.step(1, 0);
            counts.push(search.line, search.places("xabcabc").join());
            return counts;
          })()
          """
        ])
      #expect(read == [#"[2,1,0,0,3,2,3,"1,4"]"#])
    }

    @Test("a tab that takes nothing is waited for, then left out until it wakes up")
    func sleepingTab() async throws {
      let read = try await evaluate(
        "hub-client",
        [
          """
          await (async () => {
            const sent = [];
            const client = new m.HubClient({postMessage: ({type}) => sent.push(type)}, "p", 1);
            const much = " ".repeat(1 << 20);
            client.deliver(much);
            const ready = client.isReady();
            client.taken(much.length);
            const states = [await ready];
            client.deliver(much);
            states.push(await client.isReady());
            client.deliver("left out");
            client.taken(much.length);
            client.deliver("taken in");
            return [states, sent];
          })()
          """
        ])
      #expect(read == [#"[[true,false],["events","events","awake","events"]]"#])
    }

    @Test("a duration is told as people say it")
    func durations() async throws {
      let seconds = ["0", "0.04", "12.34", "59.96", "61", "3599.6", "8040"]
      let read = try await evaluate("time-text", seconds.map { "m.durationText(\($0))" })
      #expect(
        read.map { $0.filter { $0 != "\"" } } == [
          "0 ms", "40 ms", "12.3 s", "1 min 00 s", "1 min 01 s", "1 h 00 min", "2 h 14 min",
        ])
    }

    @Test("an input is shown as one would type it")
    func inputs() async throws {
      let read = try await evaluate(
        "state-text",
        [
          "undefined", "null", #"{"target":"a b","n":9007199254740993,"args":[],"old":"[]"}"#,
          "[1,2.0]", "true", #""x""#,
        ].map {
          """
          await import("/json-text.js").then(({readJSON}) =>
            m.inputText(\($0 == "undefined" ? $0 : "readJSON('{\"input\":\($0)}').input")))
          """
        })
      #expect(
        read == [
          #""""#, #""""#, #""target=a b n=9007199254740993 old=[]""#, #""[1,2.0]""#, #""true""#,
          #""\"x\"""#,
        ])
    }

    @Test("the time stops while the panel is away")
    func clock() async throws {
      let past = "for (const end = Date.now() + 20; Date.now() < end;)"
      let times = try await evaluate(
        "model",
        [
          "(() => { const it = new m.Model(); it.setClock(1000); it.stop(); const then = it.now; "
            + "\(past); return it.now - then; })()",
          "(() => { const it = new m.Model(); it.stop(); it.setClock(1000); const then = it.now; "
            + "\(past); return it.now > then; })()",
        ])
      #expect(times == ["0", "true"])
    }
  }
}
