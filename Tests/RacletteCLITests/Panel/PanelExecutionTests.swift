import Platform
import Testing

/// What the API executes, tells and cancels.
@Suite("the panel's executions", .timeLimit(.minutes(5)))
struct PanelExecutionTests {
  @Test("a press executes what the command needs, and its output is kept")
  func press() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "fetch", run = "echo fetched"}
        rac.command{name = "build", aliases = {"b"}, needs = {"fetch"},
          params = {{name = "n", type = "integer", default = 2}},
          run = function(input, emit)
            emit("one") emit({n = input.n}) return rac.sh("echo two; echo err >&2") end}
        """)
      let reply = panel.send("POST", "commands/b/executions", #"{"input": {"n": 3}}"#)
      #expect(reply.status == 201)
      #expect(reply.body == "{\"id\":1,\"state\":\"waiting\"}\n")
      #expect(reply.headers["location"] == "/api/v1/executions/1")
      let end = panel.wait(for: 1, "\"state\":\"completed\"").body
      #expect(end.contains("\"command\":\"build\",\"input\":{\"n\":3}"))
      #expect(end.contains("\"requested\":true,\"by\":\"client\","), "\(end)")
      #expect(end.contains("\"outputs\":4"))
      let need = panel.send("GET", "executions/2").body
      #expect(need.contains("\"command\":\"fetch\""))
      #expect(need.contains("\"requested\":false,\"for\":1"))
      let values = panel.send("GET", "executions/1/values").body
      for text in ["\"value\":\"one\"", "\"value\":{\"n\":3}", "\"value\":\"two\""] {
        #expect(values.contains(text), "\(values)")
      }
      #expect(values.contains("\"type\":\"stderr\",\"command\":\"build\",\"execution\":1,"))
      #expect(values.contains("\"from\":0,\"next\":4,\"outputs\":4,\"ended\":true"))
      #expect(panel.end().status == 130)
    }
  }

  @Test("input is refused with the message of the command line")
  func input() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "build", params = {
          {name = "target", required = true, choices = {"debug", "release"}},
          {name = "n", type = "integer"}}, run = print}
        """)
      for (body, words) in [
        ("{}", ["build"]),
        (#"{"input": {"target": "fast"}}"#, ["build", "--target", "fast"]),
        (#"{"input": {"target": "debug", "n": "x"}}"#, ["build", "--target", "debug", "--n", "x"]),
        (#"{"input": {"target": "debug", "m": 1}}"#, ["build", "--target", "debug", "--m", "1"]),
      ] {
        let reply = panel.send("POST", "commands/build/executions", body)
        #expect(reply.status == 422)
        let run = Running(
          Launch(arguments: ["run"] + words, folder: panel.folder.path)
        ).finish()
        let message = run.errors.dropFirst("raclette: error: ".count).prefix { $0 != "\n" }
        #expect(!message.isEmpty)
        #expect(reply.body.contains("\"message\":\"\(message)\""), "\(reply.body) \(message)")
      }
      _ = panel.end()
    }
  }

  @Test("what an execution waits for is shown with who has it, until it begins")
  func contention() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.defaults{resources = {gpu = 1}}
        rac.command{name = "train", concurrency = 2, uses = {gpu = 1}, run = "read line <go"}
        """)
      _ = panel.folder.makePipe("go")
      let stream = panel.stream("events")
      for _ in 1...2 {
        #expect(panel.send("POST", "commands/train/executions", "{}").status == 201)
      }
      #expect(
        stream.wait(
          for:
            #""type":"waits","command":"train","resources":"gpu = 1","holder":"'train' has gpu = 1"}"#
        ))
      let waits =
        #""state":"waiting","waits":{"resources":"gpu = 1","holder":"'train' has gpu = 1"},"#
      #expect(panel.send("GET", "executions/2").body.contains(waits))
      write("\n", toPipe: panel.folder["go"])
      let begun = panel.wait(for: 2, "\"state\":\"running\"").body
      #expect(!begun.contains("waits"), "\(begun)")
      write("\n", toPipe: panel.folder["go"])
      _ = panel.wait(for: 2, "\"state\":\"completed\"")
      _ = panel.end()
    }
  }

  @Test("a command that is not enabled is refused with its reason, until it is")
  func enabled() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "deploy", enabled = rac.file_exists("ok"), run = "echo deployed"}
        rac.command{name = "ask", enabled = function() rac.sleep(0.01) return false, "not today" end,
          run = "echo asked"}
        rac.command{name = "pre", precondition = function() return false, "no disk" end, run = "true"}
        rac.command{name = "busy", run = "sleep 1000"}
        """)
      let stream = panel.stream()
      stream.wait(for: "\"type\":\"stream\"")
      var reply = panel.send("POST", "commands/deploy/executions", "{}")
      #expect(reply.status == 409)
      #expect(reply.body.contains("\"kind\":\"not_enabled\""))
      #expect(reply.body.contains("\"reason\":\"its condition is false\""))
      #expect(panel.send("GET", "executions").body.contains("\"executions\":[]"))
      panel.folder.write("", to: "ok")
      #expect(stream.wait(for: "\"command\":\"deploy\",\"value\":true"))
      reply = panel.send("POST", "commands/deploy/executions", "{}")
      #expect(reply.status == 201)
      panel.folder.remove("ok")
      #expect(
        stream.wait(
          for: "\"command\":\"deploy\",\"value\":false,\"reason\":\"its condition is false\""))
      for (name, reason) in [("ask", "not today"), ("pre", "no disk")] {
        reply = panel.send("POST", "commands/\(name)/executions", "{}")
        #expect(reply.status == 409 && reply.body.contains("\"reason\":\"\(reason)\""), "\(reply)")
      }
      #expect(panel.send("GET", "commands").body.contains("\"name\":\"ask\""))
      #expect(panel.execute("busy") > 0)
      reply = panel.send("POST", "commands/busy/executions", "{}")
      #expect(reply.status == 409 && reply.body.contains("\"reason\":\"it is executing\""))
      _ = panel.end()
    }
  }

  @Test("a live condition states its reason, also when only that changes")
  func reason() async {
    await onThread {
      let panel = PanelProgram(
        """
        local door = rac.behavior_subject(rac.tuple(false, "nobody has approved it"))
        rac.command{name = "deploy", enabled = door, run = "true"}
        rac.command{name = "tell", params = {{name = "why"}}, run = function(input)
          door:send_next(rac.tuple(input.why == nil, input.why)) end}
        """)
      let stream = panel.stream()
      stream.wait(for: "\nid: ")
      #expect(
        panel.send("GET", "commands").body.contains(
          "\"enabled\":false,\"reason\":\"nobody has approved it\""))
      let reply = panel.send("POST", "commands/deploy/executions", "{}")
      #expect(
        reply.status == 409 && reply.body.contains("\"reason\":\"nobody has approved it\""))
      panel.wait(
        for: panel.execute("tell", #"{"input": {"why": "it is Friday"}}"#),
        "\"state\":\"completed\"")
      #expect(
        stream.wait(for: "\"command\":\"deploy\",\"value\":false,\"reason\":\"it is Friday\""))
      panel.wait(for: panel.execute("tell"), "\"state\":\"completed\"")
      #expect(stream.wait(for: "\"command\":\"deploy\",\"value\":true"))
      _ = panel.end()
      let show = Running(Launch(arguments: ["list"], folder: panel.folder.path)).finish()
      #expect(show.output.contains("not enabled: nobody has approved it"))
    }
  }

  @Test("numbers to choose from are numbers")
  func choices() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "a", run = "true", params = {
          {name = "i", type = "integer", choices = {1, 2}},
          {name = "n", type = "number", choices = {0.5, 1}}, {name = "s", choices = {"1", "b"}}}}
        """)
      let commands = panel.send("GET", "commands").body
      for choices in ["[1,2]", "[0.5,1]", "[\"1\",\"b\"]"] {
        #expect(commands.contains("\"choices\":\(choices)"), "\(commands)")
      }
      _ = panel.end()
    }
  }

  @Test("what asks is executed once somebody has answered")
  func confirm() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "wipe", confirm = "Really?", run = "echo wiped"}
        rac.command{name = "all", needs = {"wipe"}, confirm = "All of it?", run = "echo done"}
        rac.command{name = "inner", run = function() return rac.commands.wipe:execute() end}
        """)
      let reply = panel.send("POST", "commands/all/executions", "{}")
      #expect(reply.status == 409)
      #expect(
        reply.body.contains(
          "\"questions\":[{\"command\":\"wipe\",\"question\":\"Really?\"},"
            + "{\"command\":\"all\",\"question\":\"All of it?\"}]"))
      let execution = panel.execute("all", #"{"confirmed": true}"#)
      panel.wait(for: execution, "\"state\":\"completed\"")
      // A question that nobody was shown was not answered.
      let inner = panel.execute("inner", #"{"confirmed": true}"#)
      let end = panel.wait(for: inner, "\"state\":\"failed\"").body
      #expect(end.contains("it asks \\\"Really?\\\""), "\(end)")
      _ = panel.end()
    }
  }

  @Test("an execution names what has cancelled it")
  func canceller() async {
    await onThread {
      let panel = PanelProgram(#"rac.command{name = "long", run = "exec sleep 600"}"#)
      for (headers, word) in [
        (["Sec-Fetch-Site": "same-origin"], "page"), (["X-Raclette-Version": "1"], "command line"),
        ([:], "client"),
      ] {
        let execution = panel.execute("long")
        _ = panel.send("DELETE", "executions/\(execution)", headers: headers)
        let end = panel.wait(for: execution, "\"state\":\"cancelled\"").body
        #expect(end.contains("\"cancelled_by\":\"\(word)\""), "\(end)")
      }
    }
  }

  @Test("cancelling ends when the process group is gone")
  func cancel() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "long", run = function()
          return rac.sh(
            "trap '' TERM; echo ready; while :; do sleep 0.01; [ ! -e go ] || exit; done", {grace = 600})
        end}
        """)
      let stream = panel.stream()
      stream.wait(for: "\"type\":\"stream\"")
      let execution = panel.execute("long")
      panel.wait(for: execution, "\"outputs\":1")
      let reply = panel.send("DELETE", "executions/\(execution)")
      #expect(reply.status == 202)
      #expect(reply.body.contains("\"state\":\"cancelling\""))
      #expect(reply.body.contains("\"cancelled_by\":\"client\""), "\(reply)")
      #expect(stream.wait(for: "\"type\":\"cancelling\""))
      #expect(!stream.text.contains("\"type\":\"cancelled\""))
      // It still has the slot.
      #expect(panel.send("POST", "commands/long/executions", "{}").status == 409)
      panel.folder.write("", to: "go")
      #expect(stream.wait(for: "\"type\":\"cancelled\",\"command\":\"long\""))
      let again = panel.send("DELETE", "executions/\(execution)")
      #expect(again.status == 409 && again.body.contains("\"kind\":\"ended\""))
      #expect(stream.wait(for: "\"command\":\"long\",\"value\":true"))
      _ = panel.end()
    }
  }

  @Test("a request that waits for what it needs is cancelled with it")
  func cancelWaiting() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "slow", run = "echo ready; exec sleep 1000"}
        rac.command{name = "build", needs = {"slow"}, run = "echo built"}
        """)
      let execution = panel.execute("build")
      panel.wait(for: 2, "\"outputs\":1")
      #expect(panel.send("DELETE", "executions/\(execution)").status == 202)
      panel.wait(for: execution, "\"state\":\"cancelled\"")
      panel.wait(for: 2, "\"state\":\"cancelled\"")
      _ = panel.end()
    }
  }

  @Test("a command that joins answers with the execution that runs")
  func join() async {
    await onThread {
      let panel = PanelProgram(
        "rac.command{name = 'one', when_busy = 'join', run = 'exec sleep 1000'}")
      #expect(panel.execute("one") == 1)
      let reply = panel.send("POST", "commands/one/executions", "{}")
      #expect(reply.status == 201 && reply.body.contains("\"id\":1,"), "\(reply)")
      #expect(reply.body.contains("\"joined\":true"))
      #expect(!panel.send("GET", "executions").body.contains("\"id\":2"))
      _ = panel.end()
    }
  }

  @Test("a queued execution says so, and is dropped by a restart")
  func queue() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "line", when_busy = "queue", run = "exec sleep 1000"}
        rac.command{name = "anew", when_busy = "restart", run = "echo ready; exec sleep 1000"}
        """)
      #expect(panel.execute("line") == 1)
      let reply = panel.send("POST", "commands/line/executions", "{}")
      #expect(reply.body.contains("\"state\":\"queued\""), "\(reply)")
      #expect(panel.send("GET", "commands").body.contains("\"running\":1,\"limit\":1,\"queued\":1"))
      #expect(panel.execute("anew") == 3)
      panel.wait(for: 3, "\"outputs\":1")
      #expect(panel.execute("anew") == 4)
      panel.wait(for: 3, "\"state\":\"cancelled\"")
      panel.wait(for: 4, "\"state\":\"running\"")
      _ = panel.end()
    }
  }

  @Test("follow carries the whole execution, and ends with it")
  func follow() async {
    await onThread {
      let panel = PanelProgram(
        "rac.command{name = 'say', run = 'for i in 1 2 3; do echo line $i; done; exit 7'}")
      let stream = panel.stream("commands/say/executions?follow=1", method: "POST", "{}")
      let text = stream.readToEnd()
      #expect(stream.head.contains("\r\nX-Execution: 1"))
      let types = text.matches(of: /"type":"(\w+)"/).map { String($0.1) }
      #expect(types == ["execution_started", "next", "next", "next", "error"], "\(text)")
      #expect(text.contains("\"code\":7"))
      _ = panel.end()
    }
  }

  @Test("as many executions are kept as it says, with all of their output")
  func keep() async {
    await onThread {
      let panel = PanelProgram(
        "rac.command{name = 'say', concurrency = 'unlimited', run = 'echo said'}", "--keep", "3")
      for _ in 0..<5 {
        let execution = panel.execute("say")
        panel.wait(for: execution, "\"state\":\"completed\"")
      }
      let list = panel.send("GET", "executions").body
      #expect(list.matches(of: /"id":(\d+)/).map { String($0.1) } == ["5", "4", "3"])
      #expect(panel.send("GET", "executions/2").status == 404)
      #expect(panel.send("GET", "executions/2/values").status == 404)
      #expect(panel.send("GET", "executions/3/values").body.contains("\"said\""))
      _ = panel.end()
    }
  }

  @Test("each output can be read again, page by page, from either end, and sought")
  func values() async {
    await onThread {
      let panel = PanelProgram(
        "rac.command{name = 'count', run = 'seq 300000'}")
      let execution = panel.execute("count")
      panel.wait(for: execution, "\"state\":\"completed\"")
      var next = 0
      var pages = 0
      repeat {
        let reply = panel.send("GET", "executions/\(execution)/values?from=\(next)&limit=10000")
        let expected = (next..<min(next + 10_000, 300_000)).map {
          "\"n\":\($0),\"value\":\"\($0 + 1)\""
        }
        let found = reply.body.matches(of: /"n":\d+,"value":"\d+"/).map { String($0.0) }
        let end = reply.body.firstMatch(of: /"next":(\d+)/).flatMap { Int($0.1) } ?? 0
        #expect(end > next && found == Array(expected.prefix(end - next)))
        if end <= next { break }
        next = end
        pages += 1
      } while next < 300_000
      #expect(pages >= 30)
      let last = panel.send("GET", "executions/\(execution)/values?from=-2").body
      #expect(last.matches(of: /"value":"(\d+)"/).map { String($0.1) } == ["299999", "300000"])
      let middle = panel.send("GET", "executions/\(execution)/values?from=123456&limit=1").body
      #expect(middle.contains("\"n\":123456,\"value\":\"123457\""))
      let found = panel.send("GET", "executions/\(execution)/values?find=29999").body
      #expect(found.matches(of: /"value":"(\d+)"/).count == 13, "\(found)")
      let beyond = panel.send("GET", "executions/\(execution)/values?from=900000").body
      #expect(beyond.contains("\"events\":[]"))
      for query in ["from=x", "limit=0", "limit=10001", "find=", "from=1&from=2"] {
        #expect(panel.send("GET", "executions/\(execution)/values?\(query)").status == 400)
      }
      _ = panel.end()
    }
  }

  @Test("bytes that are not UTF-8 arrive, and markup is text")
  func bytes() async {
    await onThread {
      let panel = PanelProgram(
        #"rac.command{name = "raw", run = function(_, emit) emit("a\xFFb") emit("<b>\"\\\r\27[1m\0") end}"#
      )
      let execution = panel.execute("raw")
      panel.wait(for: execution, "\"state\":\"completed\"")
      let values = panel.send("GET", "executions/\(execution)/values").body
      #expect(values.contains(#""value":"a\#u{FFFD}b","value_base64":"Yf9i""#), "\(values)")
      #expect(values.contains(#""value":"<b>\"\\\r\u001b[1m\u0000""#), "\(values)")
      _ = panel.end()
    }
  }

  @Test("the timeline is a picture of what was executed")
  func timeline() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "a<b", run = "true"}
        rac.command{name = "fails", run = "exit 1"}
        """)
      for name in ["a%3Cb", "fails"] {
        panel.wait(for: panel.execute(name), "\"ended\":")
      }
      let reply = panel.send("GET", "timeline.svg?width=400")
      #expect(reply.headers["content-type"] == "image/svg+xml; charset=utf-8")
      #expect(reply.body.hasPrefix("<svg "))
      #expect(reply.body.contains("width=\"400\""))
      #expect(reply.body.contains("a&lt;b") && !reply.body.contains("a<b"))
      #expect(reply.body.contains("class=\"failed\"") && reply.body.contains("class=\"completed\""))
      _ = panel.end()
    }
  }

  @Test("the pinned item has its own input")
  func pinned() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.command{name = "build", params = {{name = "target", default = "debug"}},
          panel = {pin = true, input = {target = "release"}},
          run = function(input) return input.target end}
        """)
      #expect(
        panel.send("GET", "commands").body.contains("\"pin\":{\"input\":{\"target\":\"release\"}}"))
      for (body, target) in [("{}", "debug"), (#"{"pinned": true}"#, "release")] {
        let execution = panel.execute("build", body)
        panel.wait(for: execution, "\"state\":\"completed\"")
        #expect(
          panel.send("GET", "executions/\(execution)/values").body
            .contains("\"value\":\"\(target)\""))
      }
      #expect(
        panel.send(
          "POST", "commands/build/executions", #"{"pinned": true, "input": {}}"#
        ).status == 400)
      _ = panel.end()
    }
  }

  @Test("no secret is in any byte that is sent")
  func secrets() async {
    await onThread {
      let panel = PanelProgram(
        """
        rac.env.KEY = "sesame-17"
        rac.command{name = "open", secrets = {"KEY", "pass"},
          params = {{name = "pass", default = "default-secret"}},
          run = function(input, emit)
            emit(input.pass) emit({pass = input.pass}) rac.log.info("log " .. input.pass)
            error("failed with " .. input.pass) end}
        rac.command{name = "shell", secrets = {"KEY"}, run = "echo $KEY; echo $KEY >&2; exit 3"}
        """)
      let stream = panel.stream("events?page=P")
      stream.wait(for: "\"type\":\"stream\"")
      var bytes: [UInt8] = []
      bytes += panel.send("GET", "commands").bytes
      let open = panel.send(
        "POST", "commands/open/executions", #"{"input": {"pass": "hunter-22"}}"#)
      bytes += open.bytes
      bytes +=
        panel.send(
          "POST", "commands/open/executions", #"{"input": {"pass": {"x": "hunter-22"}}}"#
        ).bytes
      let shell = panel.execute("shell")
      bytes += panel.wait(for: 1, "\"state\":\"failed\"").bytes
      bytes += panel.wait(for: shell, "\"state\":\"failed\"").bytes
      for path in [
        "executions", "executions/1/values", "executions/\(shell)/values", "timeline.svg",
      ] {
        bytes += panel.send("GET", path).bytes
      }
      let followed = panel.stream("events?look=1&look=\(shell)")
      followed.wait(for: "\"execution\":\(shell),\"n\":1")
      followed.wait(for: "\"execution\":1,\"n\":1")
      stream.wait(for: "\"type\":\"error\"", count: 2)
      let end = panel.end()
      bytes += stream.readToEnd().utf8
      bytes += followed.readToEnd().utf8
      bytes += Array((end.output + end.errors).utf8)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("***"))
      for secret in ["sesame-17", "hunter-22", "default-secret"] {
        #expect(!text.contains(secret), "\(secret)")
      }
      // The token is in the address, and nowhere else.
      #expect(text.ranges(of: panel.token).count == 1)
    }
  }
}
