import Platform
import Testing

/// Requests that nobody would send on purpose.
@Suite("the panel's API under odd requests", .timeLimit(.minutes(60)))
struct PanelFuzzTests {
  private static let count = getenv("RACLETTE_LONG") == nil ? 2_000 : 100_000

  private static let pieces = [
    "GET", "POST", "PUT", "DELETE", "HEAD", " ", "/", "/api/v1/commands", "/api/v1/executions/1",
    "/api/v1/commands/say/executions", "/api/v1/pages/P", "/api/v1/pages/P/refreshes",
    "/api/v1/executions/1/values", "/api/v1/timeline.svg", "?from=", "?look=", "&", "=", "-1", "99",
    "%", "%00", "%2e%2e", "%FF", "HTTP/1.1", "HTTP/1.0", "\r\n", "\n", "\r", ":", "Host: ",
    "localhost",
    "Authorization: Bearer ", "Content-Length: ", "Content-Type: application/json", "Origin: ",
    "Last-Event-ID: ", "Transfer-Encoding: chunked", "Expect: 100-continue", "0", "3", "1e9", "{",
    "}",
    "[", "]", "\"input\"", "\"look\"", "\"confirmed\"", "true", "null", ",", "\u{0}", "ÿ", "{}",
    "{\"input\":{}}", "{\"stream\":\"x\",\"look\":[{\"execution\":1}]}",
  ]

  @Test("each is answered or refused, and the panel goes on")
  func fuzz() async {
    await onThread {
      let panel = PanelProgram("rac.command{name = 'say', run = function() return 1 end}")
      var random = Numbers(seed: 17)
      var statuses: Set<Int> = []
      for round in 0..<Self.count {
        var bytes: [UInt8] = []
        if round % 3 > 0 {
          // One that passes the gate, with something odd in it.
          let routes = Self.pieces.filter { $0.hasPrefix("/") }
          bytes += "\(random.of(["GET", "POST", "PUT", "DELETE"])) \(random.of(routes))".utf8
          if random.next() % 2 == 0 {
            bytes += "?".utf8
            for _ in 0..<random.next() % 4 {
              bytes += random.of(Self.pieces).utf8.filter { $0 > 32 }
            }
          }
          let odd = (0..<random.next() % 6).map { _ in random.of(Self.pieces) }.joined()
          let body = random.of(["", "{}", odd, odd])
          bytes +=
            """
            \u{20}HTTP/1.1\r\nHost: \(panel.host)\r\nAuthorization: Bearer \(panel.token)\r\n\
            Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\
            Connection: close\r\n\r\n\(body)
            """.utf8
        } else {
          for _ in 0..<random.next() % 30 { bytes += random.of(Self.pieces).utf8 }
        }
        let isDamaged = round % 5 == 0 && !bytes.isEmpty
        for _ in 0..<random.next() % 3 where isDamaged {
          bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        let connection = panel.connect()
        connection.write(bytes)
        // What may not be a whole request is left alone, as by a client that goes away.
        if round % 3 == 0 || isDamaged { continue }
        let reply = HTTPReply(connection.readToEnd())
        statuses.insert(reply.status)
        if reply.status >= 500, reply.status != 501, reply.status != 505 {
          Issue.record("\(String(decoding: bytes, as: UTF8.self)) -> \(reply)")
        }
      }
      #expect(statuses.isSuperset(of: [200, 201, 400, 404, 405]), "\(statuses)")
      #expect(panel.send("GET", "commands").status == 200)
      #expect(panel.end().status == 130)
    }
  }

  /// Numbers that are the same in each run.
  private struct Numbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }

    mutating func of(_ texts: [String]) -> String { texts[Int(next() % UInt64(texts.count))] }
  }
}
