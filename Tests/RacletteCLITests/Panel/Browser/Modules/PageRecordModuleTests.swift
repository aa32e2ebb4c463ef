import Scripting
import Testing

extension PageContentTests {
  /// Modules of the page without a document: what the page knows of executions.
  @Suite("what the page knows of executions")
  struct RecordModuleTests {
    @Test("what is only shown of a document keeps its digits, its order and its spelling")
    func shownText() async throws {
      let shown = [
        "9007199254740993", "-0", "1.0", "1e400", "9223372036854775807", #"{"10":1,"9":[2.50]}"#,
        #"[{"a":"]}\\"},"\"",{}]"#, "[]",
      ]
      let read = try await evaluateModule(
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

    @Test("executions of a command that run at a time are drawn on tracks of their own")
    func tracks() async throws {
      let read = try await evaluateModule(
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

    @Test("a duration is told as people say it")
    func durations() async throws {
      let seconds = ["0", "0.04", "12.34", "59.96", "61", "3599.6", "8040"]
      let read = try await evaluateModule("time-text", seconds.map { "m.durationText(\($0))" })
      #expect(
        read.map { $0.filter { $0 != "\"" } } == [
          "0 ms", "40 ms", "12.3 s", "1 min 00 s", "1 min 01 s", "1 h 00 min", "2 h 14 min",
        ])
    }

    @Test("an input is shown as one would type it")
    func inputs() async throws {
      let read = try await evaluateModule(
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
      let times = try await evaluateModule(
        "model",
        [
          "(() => { const it = new m.Model(); it.setClock(1000); it.stop(); const then = it.now; "
            + "\(past); return it.now - then; })()",
          "(() => { const it = new m.Model(); it.stop(); it.setClock(1000); const then = it.now; "
            + "\(past); return it.now > then; })()",
        ])
      #expect(times == ["0", "true"])
    }

    @Test("the results of commands follow executions one by one, and outlast them")
    func records() async throws {
      let read = try await evaluateModule(
        "records",
        [
          """
          await import("/model.js").then(({Model}) => {
            const model = new Model();
            const records = new m.Records(model);
            const seen = () => [
              ["a", "b"].map((name) => {
                const {ended, active} = records.of(name);
                return ended.map(({id}) => id).join() + "/" + active.map(({id}) => id).join();
              }),
              [...records.failed].join(), records.active,
            ];
            const recent = [{id: 2, state: "completed"}, {id: 1, state: "failed"}];
            model.takeCommands({groups: [], commands: [
              {name: "a", recent, last: {...recent[0], ended: 5}},
              {name: "b", recent: [], last: {id: 3, state: "failed"}},
            ]});
            model.takeExecutions({executions: [{id: 2, command: "a", state: "completed", ended: 5}]});
            const all = [seen()];
            const event = (type, execution, command = "a") =>
              model.apply({type, execution, command, ts: 9});
            event("execution_started", 4);
            event("execution_started", 5);
            event("error", 5);
            all.push(seen());
            event("completed", 4);
            event("execution_waiting", 6, "b");
            all.push(seen());
            model.apply({type: "joined", execution: 6, into: 7});
            event("completed", 8, "b");
            all.push(seen());
            for (let id = 10; id < 400; id += 1) event("completed", id, "c");
            all.push([records.of("a").ended.length, records.of("c").ended.length]);
            for (let id = 400; id < 800; id += 1) event("completed", id, "d");
            all.push([records.of("a").ended.length, records.of("c").ended.length]);
            return all;
          })
          """
        ])
      #expect(
        read == [
          #"[[["1,2/","/"],"b",0],[["1,2,5/4","/"],"b,a",1],[["1,2,5,4/","/6"],"b",1],"#
            + #"[["1,2,5,4/","8/"],"",0],[4,200],[4,30]]"#
        ])
    }

    @Test("what executions of a command wait for is known until they go on")
    func waits() async throws {
      let read = try await evaluateModule(
        "state-text",
        [
          """
          await import("/model.js").then(({Model}) => {
            const model = new Model();
            const seen = () => [...model.executions.values()].map(m.waitText);
            const event = (type, execution, command = "train") =>
              model.apply({type, execution, command, ts: 9});
            event("execution_started", 1);
            event("execution_waiting", 2);
            event("execution_waiting", 3, "deploy");
            model.apply({type: "waits", command: "train", resources: "gpu = 1", holder: "'train' has gpu = 1"});
            model.apply({type: "waits", command: "deploy", holder: "process 7 has it"});
            const all = [seen()];
            event("execution_started", 2);
            return [...all, seen()];
          })
          """
        ])
      #expect(
        read == [
          #"[["","for gpu = 1: 'train' has gpu = 1","process 7 has it"],["","","process 7 has it"]]"#
        ])
    }

    @Test("the place of a reload is given up once the output has not reached it")
    func place() async throws {
      let read = try await evaluateModule(
        "output-place",
        [
          """
          (() => {
            const reached = (steps) => {
              sessionStorage.setItem("raclette place", JSON.stringify({id: 1, line: 5}));
              const shown = [];
              const rows = Object.assign(new EventTarget(), {showAtTop: (line) => shown.push(line)});
              const list = {rows, record: {lines: {length: 0}, next: 0}};
              const selection = Object.assign(new EventTarget(), {id: 1});
              const place = new m.OutputPlace(list, selection);
              steps((count) => {
                Object.assign(list.record, {lines: {length: count}, next: count});
                place.update(8);
              }, selection, rows);
              return shown;
            };
            const turn = (selection, id) => {
              selection.id = id;
              selection.dispatchEvent(new Event("change"));
            };
            return [
              reached((come) => { come(3); come(6); come(9); }),
              reached((come, selection) => { come(3); turn(selection, 2); turn(selection, 1); come(9); }),
              reached((come, _, rows) => { come(3); rows.dispatchEvent(new Event("follow")); come(9); }),
            ];
          })()
          """,
          """
          (() => {
            const shown = [];
            const rows = Object.assign(new EventTarget(), {showAtTop: (line) => shown.push(line)});
            sessionStorage.setItem("raclette place", JSON.stringify({id: 1, line: 5}));
            const list = {rows, record: {lines: {length: 2}, next: 8}};
            const place = new m.OutputPlace(list, Object.assign(new EventTarget(), {id: 1}));
            place.update(8);
            list.record.lines.length = 100;
            place.update(8);
            return shown;
          })()
          """,
        ])
      #expect(read == ["[[5],[],[]]", "[]"])
    }

    @Test("what was made for keys is remembered while it is asked for, and not without bounds")
    func recent() async throws {
      let read = try await evaluateModule(
        "recent",
        [
          """
          (() => {
            const made = [];
            const recent = new m.Recent(3);
            const ask = (key) => recent.of(key, () => made.push(key));
            for (const key of "abcabdaeafaga") ask(key);
            for (let key = 0; key < 1000; key += 1) ask(String(key));
            return [made.slice(0, 7).join(""), recent.size];
          })()
          """
        ])
      #expect(read == [#"["abcdefg",4]"#])
    }
  }
}
