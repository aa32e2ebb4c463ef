import Scripting
import Testing

extension PageContentTests {
  /// Modules of the page without a document: the stream of events.
  @Suite("the stream of events")
  struct StreamModuleTests {
    @Test("server-sent events are put together from pieces that are cut anywhere")
    func eventText() async throws {
      let stream =
        "id: 1\ndata: {\"a\":1}\ndata: {\"a\":2}\n\n: alive\n\nid: 2\nevent: p\ndata: {}\n\n"
      let read = try await evaluateModule(
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

    @Test("a tab that takes nothing is waited for, then left out until it wakes up")
    func sleepingTab() async throws {
      let read = try await evaluateModule(
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
  }
}
