import EventLoop
import Platform
import Reactive

/// A question to a server: whether it accepts connections, or how it answers a request of HTTP.
struct ServerProbe: Sendable, Equatable {
  /// What is asked of a web server.
  struct Page: Sendable, Equatable {
    let url: String
    let path: String
    /// The statuses that are good; empty for 200 to 399.
    var statuses: [Int] = []
  }

  let place: ServerPlace
  /// Nil if a connection is enough.
  var page: Page?

  private static let limit = Duration.seconds(5)
  private static let longestStatusLine = 1_024

  /// A probe that connects.
  init(_ place: ServerPlace) { self.place = place }

  /// A probe that asks for a URL.
  ///
  /// - Throws: `ProbeError` for a URL that it cannot ask for.
  init(url: String, statuses: [Int]) throws(ProbeError) {
    let scheme = "http://"
    if url.lowercased().hasPrefix("https://") { throw .secure(url) }
    guard url.lowercased().hasPrefix(scheme), url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { throw .url(url) }
    let rest = url.dropFirst(scheme.count).prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest.dropFirst(authority.count)
    let hasPort = authority.last != "]" && authority.contains(":")
    guard let place = ServerPlace(hasPort ? String(authority) : "\(authority):80"),
      !authority.isEmpty, !authority.contains("@")
    else { throw .url(url) }
    self.place = place
    page = Page(url: url, path: path.hasPrefix("/") ? String(path) : "/\(path)", statuses: statuses)
  }

  /// Asks once.
  ///
  /// - Parameter completion: called once on the loop's thread, unless the subscription is disposed.
  func ask(
    on loop: EventLoop, in subscription: CompoundDisposable,
    _ completion: @escaping (ProbeAnswer) -> Void
  ) {
    let request = page.map {
      Array(
        "GET \($0.path) HTTP/1.1\r\nHost: \(place.text)\r\nAccept: */*\r\nConnection: close\r\n\r\n"
          .utf8)
    }
    place.ask(
      on: loop, sending: request ?? [], within: Self.limit,
      until: { $0.contains(UInt8(ascii: "\n")) || $0.count > Self.longestStatusLine },
      in: subscription
    ) { answer in
      switch answer {
      case nil: completion(.no("the host '\(place.host)' is not known"))
      case .failed(let code): completion(.no(place.failure(code)))
      case .reply(let reply):
        completion(page.map { $0.answer(reply) } ?? .yes("\(place.text) accepts connections"))
      }
    }
  }
}

extension ServerProbe.Page {
  fileprivate func answer(_ reply: [UInt8]) -> ProbeAnswer {
    let line = String(decoding: reply.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
    let words = line.split(separator: " ")
    guard words.count > 1, words[0].hasPrefix("HTTP/"), let status = Int(words[1]) else {
      return .no(
        reply.isEmpty
          ? "\(url) closes the connection without an answer" : "\(url) does not speak HTTP")
    }
    let isGood = statuses.isEmpty ? (200..<400).contains(status) : statuses.contains(status)
    return isGood ? .yes("\(url) answers \(status)") : .no("\(url) answers \(status)")
  }
}

/// The reason why something cannot be asked.
enum ProbeError: Error, CustomStringConvertible {
  case address(String)
  case url(String)
  case secure(String)

  var description: String {
    switch self {
    case .address(let text):
      "'\(text)' is not an address: \"localhost:5432\", \"[::1]:5432\" or a port alone"
    case .url(let text): "'\(text)' is not a URL: \"http://127.0.0.1:8080/health\""
    case .secure(let text):
      "'\(text)' needs TLS, which probes do not support; use a function, such as one that calls "
        + "curl"
    }
  }
}
