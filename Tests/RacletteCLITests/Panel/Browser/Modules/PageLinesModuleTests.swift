import Scripting
import Testing

extension PageContentTests {
  /// Modules of the page without a document: lines of an output.
  @Suite("lines of an output")
  struct LinesModuleTests {
    private let escape = "\u{1B}"

    @Test("lines know the colours that the ones before left, each kind its own")
    func carriedColours() async throws {
      let e = escape
      let read = try await evaluateModule(
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

    @Test("lines take the rows that they need up to a column, and are found by them")
    func layout() async throws {
      let read = try await evaluateModule(
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

    @Test("folded lines take no rows, also those that come later, and their heading takes one")
    func folds() async throws {
      let read = try await evaluateModule(
        "line-layout",
        [
          """
          await (async () => {
            const {Kind, Lines} = await import("/lines.js");
            const lines = new Lines();
            const layout = new m.LineLayout(lines);
            const rows = () => Array.from({length: layout.rows}, (_, row) => layout.lineAt(row));
            lines.append("step 1 of 2: a long name", Kind.step);
            for (const text of ["123456", "b"]) lines.append(text);
            lines.append("step 2 of 2: x", Kind.step);
            lines.append("c");
            layout.update(lines.takeChange());
            layout.fold([[1, 3], [4, Infinity]]);
            const seen = [rows(), layout.rowOf(2), layout.rowOf(3), layout.isFolded(2)];
            lines.append("d");
            layout.update(lines.takeChange());
            seen.push(rows());
            layout.fold([[4, Infinity]]);
            layout.wrap(5);
            seen.push(rows());
            layout.fold([]);
            layout.wrap(Infinity);
            return [...seen, rows()];
          })()
          """
        ])
      #expect(read == ["[[0,3],1,1,true,[0,3],[0,1,1,2,3],[0,1,2,3,4,5]]"])
    }

    @Test("a step is a heading of the lines that follow it")
    func steps() async throws {
      let read = try await evaluateModule(
        "output-record",
        [
          """
          (() => {
            const record = new m.OutputRecord();
            for (const output of [
              {n: 0, type: "step", step: 1, steps: 2, name: "make", ts: 5},
              {n: 1, type: "next", value: "a", chunk: true},
              {n: 2, type: "step", step: 2, steps: 2, name: "check", ts: 7},
              {n: 3, type: "next", value: "b"},
            ]) record.take(output);
            const {lines, steps, valueCount} = record;
            return [
              steps, valueCount,
              Array.from({length: lines.length}, (_, index) => [lines.kind(index), lines.text(index)]),
            ];
          })()
          """
        ])
      #expect(
        read == [
          #"[[{"line":0,"number":1,"count":2,"name":"make","time":5},"#
            + #"{"line":2,"number":2,"count":2,"name":"check","time":7}],0,"#
            + #"[[3,"step 1 of 2: make"],[0,"a"],[3,"step 2 of 2: check"],[0,"b"]]]"#
        ])
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
      let read = try await evaluateModule(
        "line-links",
        cases.map { "m.findLinks(\(quoted($0.text))).map((link) => link.text).join(' ')" })
      #expect(read == cases.map { quoted($0.links) })
    }

    @Test("an output is taken once and in order, pieces are put together, and what is lost is told")
    func record() async throws {
      let read = try await evaluateModule(
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

    @Test("a search finds the lines that have a text, and those that come later")
    func search() async throws {
      let read = try await evaluateModule(
        "line-search",
        [
          """
          await (async () => {
            const {Lines} = await import("/lines.js");
            const lines = new Lines();
            const search = new m.LineSearch(lines);
            // A part of a search may have found nothing yet.
            const found = async () => {
              do {
                await new Promise((done) => search.addEventListener("found", done, {once: true}));
              } while (!search.isComplete);
            };
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
  }
}
