import Platform
import Testing

/// What commands ask before they are executed, put to agents and their users.
@Suite("raclette mcp: questions", .timeLimit(.minutes(5)))
struct AgentQuestionTests {
  private static let commands = #"""
    rac.command{name = "deploy", confirm = "Deploy to production?", run = "echo deployed",
      params = {{name = "to", required = true, help = "where"}}}
    """#
  private static let call = #"{"command":"deploy","input":{"to":"x"}}"#
  private static let done = toolResult(
    "completed: deploy {\"to\":\"x\"} (TIME, #1)\n  deployed\n",
    #""number":1,"command":"deploy","state":"completed","outputs":1"#)
  private static let declined = toolResult(
    "deploy: the question was answered with no; nothing was executed", #""error":"declined""#,
    isError: true)

  @Test("a client that cannot ask its user is told the question, and answers it")
  func answer() async {
    for revision in [AgentSession.Revision.previous, .current] {
      let folder = HubFolder(commands: Self.commands)
      await onThread {
        let session = AgentSession(folder, revision)
        let question = { (number: Int) in
          toolResult(
            """
            deploy asks: Deploy to production?
            nothing is executed yet; ask the user, and if the answer is yes: answer {"question": \
            \(number), "confirm": true}

            """, #""question":\#(number),"command":"deploy","asks":"confirm""#)
        }
        #expect(session.call("run", Self.call) == question(1))
        #expect(
          session.call("answer", #"{"question":1,"confirm":false}"#) == Self.declined)
        #expect(session.call("run", Self.call) == question(2))
        #expect(
          session.call("answer", #"{"question":2}"#)
            == toolResult(
              "deploy asks: Deploy to production?\nanswer needs 'confirm': true or false",
              #""error":"arguments""#, isError: true))
        #expect(
          session.call("answer", #"{"question":2,"confirm":true,"input":{"to":"y"}}"#)
            == toolResult(
              "the question was about another input; run asks again", #""error":"arguments""#,
              isError: true))
        #expect(session.call("answer", #"{"question":2,"confirm":true}"#) == Self.done)
        #expect(
          session.call("answer", #"{"question":2,"confirm":true}"#)
            == toolResult(
              "there is no question 2, or it was answered before; run asks again",
              #""error":"not_found""#, isError: true))
        #expect(session.leave().status == 0)
      }
    }
  }

  @Test("a question that nobody answers keeps no other call from its answer")
  func openQuestion() async {
    let folder = HubFolder(
      commands: Self.commands + "\nrac.command{name = 'slow', run = 'cat go; echo done'}")
    let pipe = folder.folder.makePipe("go")
    await onThread {
      let session = AgentSession(folder, .previousAsking)
      let id = session.begin("run", #"{"command":"slow","wait":300}"#)
      session.begin("run", Self.call)
      session.running.waitForOutput(#""method":"elicitation/create""#)
      session.running.endInput()
      write("x\n", toPipe: pipe)
      #expect(
        session.answer(to: id)
          == toolResult(
            "completed: slow (TIME, #1)\n  x\n  done\n",
            #""number":1,"command":"slow","state":"completed","outputs":2"#))
      #expect(session.running.finish().status == 0)
    }
  }

  @Test("missing parameters are named, and answer gives them")
  func missing() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "copy", run = "echo $from $to",
          params = {{name = "from", required = true}, {name = "to", required = true, help = "where"}}}
        """#)
    await onThread {
      let session = AgentSession(folder)
      #expect(
        session.call("run", #"{"command":"copy"}"#)
          == toolResult(
            """
            copy: parameters 'from', 'to' are missing; nothing is executed yet; answer \
            {"question": 1, "input": {…}} gives what is missing
            Parameters:
              --from STRING  (required)
              --to STRING    where (required)

            """,
            #""question":1,"command":"copy","asks":"input","missing":["from","to"]"#, isError: true)
      )
      #expect(
        session.call("answer", #"{"question":1,"input":{"from":"a","to":"b"}}"#)
          == toolResult(
            "completed: copy {\"from\":\"a\",\"to\":\"b\"} (TIME, #1)\n  a b\n",
            #""number":1,"command":"copy","state":"completed","outputs":1"#))
      #expect(session.leave().status == 0)
    }
  }

  private static let form =
    #""message":"deploy asks: Deploy to production?","requestedSchema":{"type":"object","properties":{}}"#

  @Test("a client of the current revision gets the question as a result, and repeats the call")
  func byResult() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder, .currentAsking)
      let question = { (state: Int) in
        #""result":{"inputRequests":{"confirm":{"method":"elicitation/create","params":{"mode":"form",\#(Self.form)}}},"requestState":"\#(state)","resultType":"input_required","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"raclette","version":"0.1.0"}}}"#
      }
      #expect(session.call("run", Self.call) == question(1))
      let answer = { (state: Int, action: String) in
        #","inputResponses":{"confirm":{"action":"\#(action)"}},"requestState":"\#(state)""#
      }
      #expect(session.call("run", Self.call, more: answer(1, "decline")) == Self.declined)
      // An answer to a question that is not open is none.
      #expect(session.call("run", Self.call, more: answer(1, "accept")) == question(2))
      #expect(
        session.call(
          "run", #"{"command":"deploy","input":{"to":"y"}}"#, more: answer(2, "accept"))
          == question(3))
      #expect(session.call("run", Self.call) == question(4))
      #expect(session.call("run", Self.call, more: answer(4, "accept")) == Self.done)
      #expect(session.leave().status == 0)
    }
  }

  @Test("a client of the previous revision is asked by a request")
  func byRequest() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder, .previousAsking)
      for (number, result, answer) in [
        (1, #""result":{"action":"cancel"}"#, Self.declined),
        (2, #""error":{"code":-32601,"message":"no"}"#, Self.declined),
        (3, #""result":{"action":"accept","content":{"confirm":false}}"#, Self.declined),
        (4, #""result":{"action":"accept","content":{}}"#, Self.done),
      ] {
        let id = session.begin("run", Self.call)
        session.running.waitForOutput(
          #"{"jsonrpc":"2.0","id":"question-\#(number)","method":"elicitation/create","params":{\#(Self.form)}}"#
            + "\n")
        session.send(#"{"jsonrpc":"2.0","id":"question-\#(number)",\#(result)}"#)
        #expect(session.answer(to: id) == answer)
      }
      #expect(session.leave().status == 0)
    }
  }
}
