import Testing

extension PageContentTests {
  /// Modules of the page without a document: lists of which a part is drawn.
  @Suite("lists of which a part is drawn")
  struct ListModuleTests {
    @Test("a list follows its end, too, if its view grows while rows come")
    func growingView() async throws {
      let read = try await evaluateModule(
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
      let read = try await evaluateModule(
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
  }
}
