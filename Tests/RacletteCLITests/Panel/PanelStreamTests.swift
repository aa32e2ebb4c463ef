import Platform
import Testing

/// The stream of events: who gets what, and from where.
@Suite("the panel's stream", .timeLimit(.minutes(5)))
struct PanelStreamTests {
  @Test("goes on where it was left")
  func resume() async {
    await onThread {
      let panel = PanelProgram("rac.command{name = 'say', run = 'echo said'}")
      let first = panel.stream("events?page=P")
      first.wait(for: "\"type\":\"stream\"")
      panel.wait(for: panel.execute("say"), "\"state\":\"completed\"")
      #expect(first.wait(for: "\"type\":\"enabled\",\"command\":\"say\",\"value\":true", count: 1))
      let place = first.place
      panel.wait(for: panel.execute("say"), "\"state\":\"completed\"")
      let second = panel.stream("events?page=P", headers: ["Last-Event-ID": place])
      #expect(second.wait(for: "\"type\":\"completed\",\"command\":\"say\",\"execution\":2"))
      #expect(!second.text.contains("\"execution\":1,"))
      #expect(!second.text.contains("\"type\":\"gap\""))
      // Each event once, in order.
      let numbers = second.text.matches(of: /"seq":(\d+)/).dropFirst().compactMap { Int($0.1) }
      #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
      _ = panel.end()
    }
  }

  @Test("goes on with the output of what its pages look at")
  func resumeOutput() async {
    await onThread {
      let panel = PanelProgram(
        "rac.command{name = 'say', run = 'echo one; until [ -e go ]; do sleep 0.01; done; echo two'}"
      )
      let execution = panel.execute("say")
      let first = panel.stream("events?page=P&look=\(execution)")
      #expect(first.wait(for: "\"n\":0,\"value\":\"one\""))
      #expect(first.wait(for: "event: P\nid: "))
      let place = first.place
      #expect(place.hasSuffix(";P:\(execution):1"))
      panel.folder.write("", to: "go")
      panel.wait(for: execution, "\"state\":\"completed\"")
      let second = panel.stream("events", headers: ["Last-Event-ID": place])
      #expect(second.wait(for: "\"n\":1,\"value\":\"two\""))
      #expect(!second.text.contains("\"value\":\"one\""))
      _ = panel.end()
    }
  }

  @Test("a place of another start, or of nobody, is answered with a gap")
  func unknownPlaces() async {
    await onThread {
      let panel = PanelProgram("rac.command{name = 'say', run = 'echo said'}")
      for place in ["x", "abcdefghijkl.3", "x.1;P:1", ";;;", "9999999999999999999999"] {
        let stream = panel.stream("events?page=P", headers: ["Last-Event-ID": place])
        #expect(stream.wait(for: "\"type\":\"gap\""), "\(place)")
      }
      _ = panel.end()
    }
  }

  @Test("a reader that was overtaken is told how many events it lost")
  func gap() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "log", run = function()
          for i = 1, 20000 do rac.log.info("line " .. i) if i % 1000 == 0 then rac.sleep(0) end end end}
        """, "-q")
      let first = panel.stream()
      first.wait(for: "\nid: ")
      let place = first.place
      panel.wait(for: panel.execute("log"), "\"state\":\"completed\"")
      let second = panel.stream("events", headers: ["Last-Event-ID": place])
      #expect(second.wait(for: "\"type\":\"gap\",\"missed\":"))
      let missed = second.text.firstMatch(of: /"missed":(\d+)/).flatMap { Int($0.1) } ?? 0
      #expect(second.wait(for: "\"message\":\"line 20000\""))
      let received = second.text.ranges(of: "\"type\":\"log\"").count
      // One event of the start of the execution came before those of the log.
      #expect((20_000...20_003).contains(missed + received), "\(missed) \(received)")
      _ = panel.end()
    }
  }

  @Test("output goes to the pages that look at it, from its beginning")
  func looks() async {
    await onThread {
      let panel = PanelProgram("rac.command{name = 'count', run = 'seq 20000'}")
      let execution = panel.execute("count")
      panel.wait(for: execution, "\"state\":\"completed\"")
      let stream = panel.stream("events?page=A&page=B")
      stream.wait(for: "\nid: ")
      let put = panel.send(
        "PUT", "pages/B",
        "{\"stream\": \"\(stream.id)\", \"look\": [{\"execution\": \(execution)}]}")
      #expect(put.status == 204, "\(put)")
      #expect(stream.wait(for: "\"n\":19999,"))
      let values = stream.text.matches(of: /"n":\d+,"value":"(\d+)"/).compactMap { Int($0.1) }
      #expect(values == Array(1...20_000))
      #expect(!stream.text.contains("event: A"))
      // From the end, and not at all.
      let other = panel.send(
        "PUT", "pages/A",
        "{\"stream\": \"\(stream.id)\", \"look\": [{\"execution\": \(execution), \"from\": -1}]}")
      #expect(other.status == 204)
      #expect(stream.wait(for: "event: A"))
      #expect(stream.text.ranges(of: "\"n\":19999,").count == 2)
      #expect(panel.send("DELETE", "pages/A").status == 204)
      #expect(
        panel.send(
          "PUT", "pages/A", "{\"stream\": \"\(stream.id)\", \"look\": [{\"execution\": 99}]}"
        ).status == 404)
      _ = panel.end()
    }
  }

  @Test("a line that has not ended is sent as it is to pages that look at it")
  func unfinished() async {
    await onThread {
      let panel = PanelProgram(
        #"""
        local wait = "; until [ -e %s ]; do sleep 0.01; done; "
        rac.command{name = "build", run = "echo one; printf '10%%\r'" .. wait:format("a")
          .. "echo note >&2; printf '20%%\r'" .. wait:format("b") .. "echo done; printf 'Name? ' >&2"
          .. wait:format("c") .. "echo you >&2"}
        rac.command{name = "secret", secrets = {"WORD"}, env = {WORD = "sesame"},
          run = "printf 'sesame open ses'" .. wait:format("d")}
        """#)
      let execution = panel.execute("build")
      let stream = panel.stream("events?page=P&look=\(execution)")
      let begun = #""type":"unfinished","command":"build","execution":\#(execution)"#
      #expect(stream.wait(for: begun + #","n":1,"value":"10%\r"}"#))
      let late = panel.stream("events?page=Q&look=\(execution)")
      #expect(late.wait(for: begun + #","n":1,"value":"10%\r"}"#))
      panel.folder.write("", to: "a")
      #expect(stream.wait(for: #""n":1,"value":"note""#))
      #expect(stream.wait(for: begun + #","n":2,"value":"10%\r20%\r"}"#))
      panel.folder.write("", to: "b")
      #expect(stream.wait(for: #""n":2,"value":"10%\r20%\rdone""#))
      #expect(stream.wait(for: begun + #","n":3,"value":"Name? ","stderr":true}"#))
      panel.folder.write("", to: "c")
      #expect(stream.wait(for: #""n":3,"value":"Name? you""#))
      let values = panel.send("GET", "executions/\(execution)/values").body
      #expect(!values.contains("unfinished") && values.contains(#""outputs":4,"#), "\(values)")
      let secret = panel.execute("secret")
      let other = panel.stream("events?page=R&look=\(secret)")
      #expect(other.wait(for: #""n":0,"value":"*** open "}"#))
      _ = panel.end()
    }
  }

  @Test("lines of both streams that have not ended are each sent whole")
  func unfinishedStreams() async {
    await onThread {
      let panel = PanelProgram(
        #"""
        local wait = "; until [ -e %s ]; do sleep 0.01; done; "
        rac.command{name = "build", run = "printf out" .. wait:format("a") .. "printf err >&2"
          .. wait:format("b") .. "printf ' more'" .. wait:format("c") .. "printf ' too' >&2"
          .. wait:format("d") .. "echo ' end'" .. wait:format("e") .. "echo >&2"}
        """#)
      let execution = panel.execute("build")
      let stream = panel.stream("events?page=P&look=\(execution)")
      let begun = #""type":"unfinished","command":"build","execution":\#(execution)"#
      for (sent, next) in [
        (begun + #","n":0,"value":"out"}"#, "a"),
        (begun + #","n":0,"value":"err","stderr":true}"#, "b"),
        (begun + #","n":0,"value":"out more"}"#, "c"),
        (begun + #","n":0,"value":"err too","stderr":true}"#, "d"),
        (#""n":0,"value":"out more end""#, "e"),
        (#""n":1,"value":"err too""#, nil),
      ] {
        #expect(stream.wait(for: sent), "\(sent)")
        if let next { panel.folder.write("", to: next) }
      }
      _ = panel.end()
    }
  }

  @Test("refresh controls end in order, each on its own page")
  func refresh() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "status", concurrency = "unlimited", panel = {refresh = true},
          params = {{name = "file"}},
          run = function(input) return rac.sh("until [ -e " .. input.file .. " ]; do sleep 0.01; done") end}
        """)
      let stream = panel.stream("events?page=A&page=B")
      stream.wait(for: "\nid: ")
      for (page, file) in [("A", "one"), ("A", "two"), ("B", "two")] {
        let reply = panel.send(
          "POST", "pages/\(page)/refreshes",
          "{\"command\": \"status\", \"input\": {\"file\": \"\(file)\"}}")
        #expect(reply.status == 202, "\(reply)")
      }
      panel.folder.write("", to: "two")
      #expect(stream.wait(for: "\"type\":\"refreshed\",\"command\":\"status\",\"page\":\"B\""))
      panel.wait(for: 2, "\"state\":\"completed\"")
      // The second of A has ended, and waits for the first.
      #expect(!stream.text.contains("\"page\":\"A\""))
      panel.folder.write("", to: "one")
      #expect(
        stream.wait(
          for: "\"type\":\"refreshed\",\"command\":\"status\",\"page\":\"A\"", count: 2))
      #expect(panel.send("POST", "pages/C/refreshes", #"{"command": "status"}"#).status == 404)
      _ = panel.end()
    }
  }

  @Test(
    "a changed file is reloaded: the controls get its commands, and results of those that are gone are forgotten"
  )
  func reload() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "old", run = "echo old"}
        rac.command{name = "long", run = "echo ready; until [ -e go ]; do sleep 0.01; done; echo end"}
        """)
      let stream = panel.stream()
      stream.wait(for: "\nid: ")
      let long = panel.execute("long")
      panel.wait(for: long, "\"outputs\":1")
      panel.folder.write("rac.command{", to: "commands.lua")
      #expect(
        stream.wait(
          for: "\"type\":\"reloaded\",\"error\":{\"kind\":\"lua\",\"message\":\"commands.lua:1: "))
      #expect(panel.send("GET", "commands").body.contains("\"error\":\"commands.lua:1: "))
      // The commands of before still work.
      panel.wait(for: panel.execute("old"), "\"state\":\"completed\"")
      panel.folder.write(
        """
        rac.command{name = "new", run = "echo new"}
        rac.command{name = "long", run = "echo other"}
        """, to: "commands.lua")
      #expect(
        stream.wait(
          for: "\"type\":\"reloaded\",\"added\":[\"new\"],\"removed\":[\"old\"]"))
      #expect(panel.send("POST", "commands/old/executions", "{}").status == 404)
      let new = panel.execute("new")
      panel.wait(for: new, "\"state\":\"completed\"")
      // What the old file began goes on to its end.
      panel.wait(for: long, "\"state\":\"running\"")
      panel.folder.write("", to: "go")
      panel.wait(for: long, "\"state\":\"completed\"")
      #expect(panel.send("GET", "executions/\(long)/values").body.contains("\"end\""))
      #expect(stream.wait(for: "\"command\":\"long\",\"value\":true"))
      let other = panel.execute("long")
      panel.wait(for: other, "\"state\":\"completed\"")
      #expect(panel.send("GET", "executions/\(other)/values").body.contains("\"other\""))
      panel.folder.write(
        """
        rac.command{name = "old", run = "echo old"}
        rac.command{name = "long", run = "echo other"}
        """, to: "commands.lua")
      #expect(stream.wait(for: "\"added\":[\"old\"],\"removed\":[\"new\"]"))
      let commands = panel.send("GET", "commands").body
      let named = commands.split(separator: "\"name\":\"").dropFirst()
      #expect(named.map { $0.prefix { $0 != "\"" } } == ["old", "long"])
      #expect(named.map { $0.contains("\"last\":") } == [false, true], "\(commands)")
      #expect(panel.end().status == 130)
    }
  }

  @Test(
    "events overtake the output that a page has not read yet, and its pages get theirs in turns")
  func backlog() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "count", concurrency = 2, run = "seq 300000"}
        rac.command{name = "say", run = "echo said"}
        """)
      let one = panel.execute("count")
      let other = panel.execute("count")
      for execution in [one, other] { panel.wait(for: execution, "\"state\":\"completed\"") }
      let stream = panel.stream("events?look=\(one)&look=\(other)")
      stream.wait(for: "\"n\":0,")
      let say = panel.execute("say")
      panel.wait(for: say, "\"state\":\"completed\"")
      #expect(stream.wait(for: "\"type\":\"completed\",\"command\":\"say\""))
      // What was on its way before, and not all of both executions.
      #expect(stream.text.utf8.count < 4 << 20)
      #expect(stream.wait(for: "\"execution\":\(other),\"n\":0,"))
      #expect(!stream.text.contains("\"n\":299999,"))
      #expect(stream.wait(for: "\"n\":299999,", count: 2))
      #expect(stream.place.hasSuffix(";main:\(one):300000;main:\(other):300000"))
      _ = panel.end()
    }
  }

  @Test("output that is no longer kept is told of by an event in its place")
  func lost() async {
    await onThread {
      let panel = panelOnFullDisk(
        "rac.command{name = 'count', run = 'seq 200000; until [ -e go ]; do sleep 0.01; done'}")
      let execution = panel.execute("count")
      panel.wait(for: execution, "\"outputs\":200000")
      let reply = panel.send("GET", "executions/\(execution)").body
      let lost = reply.firstMatch(of: /"lost":(\d+)/).flatMap { Int($0.1) } ?? 0
      #expect(lost > 0, "\(reply)")
      let stream = panel.stream("events?page=P&look=\(execution)")
      #expect(stream.wait(for: "\"n\":199999,"))
      #expect(
        stream.text.contains(
          "\"type\":\"lost\",\"command\":\"count\",\"execution\":\(execution),\"n\":0,\"missed\":\(lost)}"
        ))
      #expect(stream.text.contains("\"n\":\(lost),\"value\":\"\(lost + 1)\""))
      #expect(!stream.text.contains("\"n\":\(lost - 1),"))
      let values = panel.send("GET", "executions/\(execution)/values").body
      #expect(values.contains("\"from\":\(lost),"))
      panel.folder.write("", to: "go")
      panel.wait(for: execution, "\"state\":\"completed\"")
      _ = panel.end()
    }
  }

  @Test("the latest output stays, though no file takes it")
  func latest() async {
    await onThread {
      let panel = panelOnFullDisk(
        """
        rac.command{name = "long", run = function()
          return rac.from{"first" .. ("-"):rep(200000), "second" .. ("-"):rep(200000)}
        end}
        """)
      let execution = panel.execute("long")
      panel.wait(for: execution, "\"state\":\"completed\"")
      let stream = panel.stream("events?page=P&look=\(execution)")
      #expect(stream.wait(for: "\"n\":1,\"value\":\"second--"))
      #expect(stream.text.contains("\"n\":0,\"missed\":1}"))
      _ = panel.end()
    }
  }

  /// A panel whose files may not grow beyond a limit of 128 KiB, as on a disk that is full.
  private func panelOnFullDisk(_ commands: String) -> PanelProgram {
    let folder = Folder(commands: commands)
    return PanelProgram(
      folder,
      Launch(
        program: "/bin/sh",
        arguments: [
          "-c", "trap '' XFSZ; ulimit -f 256; exec \"$0\" panel --listen 127.0.0.1:0",
          Program.path,
        ], folder: folder.path))
  }

  @Test("a piece of bytes says that it is one, and lines go on from piece to piece")
  func chunks() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "raw", run = function()
          return rac.sh("printf 'a\\\\nb'", {output = "bytes"}) end}
        rac.command{name = "text", run = function() return "a\\nb" end}
        """)
      for name in ["raw", "text"] {
        panel.wait(for: panel.execute(name), "\"state\":\"completed\"")
      }
      #expect(
        panel.send("GET", "executions/1/values").body.contains(
          "\"value\":\"a\\nb\",\"chunk\":true}"))
      #expect(
        panel.send("GET", "executions/2/values").body.contains("\"value\":\"a\\nb\"}"))
      _ = panel.end()
    }
  }

  @Test("a reader that never reads costs the others nothing")
  func stuckReader() async {
    await onThread {
      let panel = PanelProgram("rac.command{name = 'count', run = 'seq 300000'}")
      let execution = panel.execute("count")
      let stuck = panel.stream("events?look=\(execution)")
      panel.wait(for: execution, "\"state\":\"completed\"")
      let reader = panel.stream("events?look=\(execution)")
      #expect(reader.wait(for: "\"n\":299999,"))
      // It gets all of it, too, once it reads.
      #expect(stuck.wait(for: "\"n\":299999,"))
      _ = panel.end()
    }
  }
}
