import Testing

@testable import Scripting

@Suite("What nests without end is an error of kind limit, not the end of the process")
struct LimitTests {
  @Test(arguments: [
    "local function f() return rac.just(1):flat_map(f) end return f()",
    """
    local function page(i)
      return rac.just(i):concat(rac.defer(function() return page(i + 1) end))
    end
    return page(1)
    """,
    """
    local signal = rac.just(1)
    for _ = 1, 50000 do signal = signal:skip(0) end
    return signal
    """,
  ])
  func depth(_ signal: String) async throws {
    let lines = try Script.lines(
      """
      local signal = (function() \(signal) end)()
      local _, failure = pcall(signal.wait, signal)
      print(failure.kind, failure.message)
      """)
    #expect(
      lines == [
        "limit\tsignals are nested too deep: each subscribes to the next inside its own subscription"
      ])
  }

  @Test func hundredsOfOperatorsAreNotTooDeep() throws {
    let lines = try Script.lines(
      """
      local signal = rac.just(0)
      for _ = 1, 300 do signal = signal:map(function(x) return x + 1 end) end
      print(signal:first())
      """)
    #expect(lines == ["300"])
  }

  @Test func anInputThatFailsFailsTheProcess() throws {
    let lines = try Script.lines(
      """
      local input = rac.concat(rac.just("half"), rac.error("the rest is lost"))
      print(pcall(function() rac.exec{"cat", stdin = input}:wait() end))
      """)
    #expect(lines == ["false\tthe rest is lost"])
  }

  @Test(arguments: [
    (#"type = "integer", default = "b""#, "is of type 'integer', its default is not"),
    (#"choices = {"b"}, default = "c""#, "has the default 'c', which is not a choice"),
  ])
  func defaultsAreChecked(_ parameter: String, _ problem: String) throws {
    let message = try Script.run(
      "rac.command{name = 'c', params = {{name = 'p', \(parameter)}}, run = print}"
    ).failure?.message
    #expect(message?.contains("parameter 'p' \(problem)") == true, "\(message ?? "none")")
  }
}
