import EventLoop
import Platform
import Reactive

/// A host and a port, as probes ask them.
struct ServerPlace: Sendable, Equatable {
  let host: String
  let port: UInt16

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT`, `[::1]:PORT`, or a port of this machine alone; nil for anything else.
  init?(_ text: String) {
    guard let parts = text.cut(atLast: ":") else {
      guard let port = UInt16(text), port > 0 else { return nil }
      self.init(host: "localhost", port: port)
      return
    }
    guard let port = UInt16(parts.after), port > 0 else { return nil }
    var host = String(parts.before)
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      return nil
    }
    self.init(host: host.isEmpty ? "localhost" : host, port: port)
  }

  /// The place as it is written.
  var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// True if it is this machine by any of its own names.
  var isHere: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

  /// The addresses that are known without a look-up. `localhost` is both of them, whatever a server
  /// has chosen.
  private var knownAddresses: [SocketAddress] {
    let hosts = host == "localhost" ? ["127.0.0.1", "::1"] : [host]
    return hosts.compactMap { SocketAddress($0, port: port) }
  }

  /// The answer of a place whose addresses have all failed.
  func failure(_ code: Int32) -> String {
    if code == ECONNREFUSED {
      return isHere ? "nothing listens on port \(port)" : "\(text) refuses connections"
    }
    if code == ETIMEDOUT { return "\(text) does not answer" }
    return "\(text) cannot be reached: \(systemErrorText(code))"
  }

  /// Asks all addresses at once; the first reply counts, or the failure if all fail.
  ///
  /// - Parameter completion: called once on the loop's thread, with the error number of the failure.
  func ask(
    on loop: EventLoop, sending request: [UInt8], within limit: Duration,
    until isComplete: @escaping ([UInt8]) -> Bool, in subscription: CompoundDisposable,
    _ completion: @escaping (ServerAnswer?) -> Void
  ) {
    let known = knownAddresses
    let askAll = { (addresses: [SocketAddress]) in
      guard !addresses.isEmpty else { return completion(nil) }
      var left = addresses.count
      var isOver = false
      for address in addresses {
        let end = loop.ask(address, sending: request, within: limit, until: isComplete) { answer in
          guard !isOver else { return }
          left -= 1
          if case .failed = answer, left > 0 { return }
          isOver = true
          completion(answer)
        }
        subscription.add(onLoop { end() })
      }
    }
    guard known.isEmpty else { return askAll(known) }
    let place = self
    let finish = onLoop { (addresses: [SocketAddress]) in
      if !subscription.isDisposed { askAll(addresses) }
    }
    let keepAlive = loop.keepAlive()
    // A look-up cannot be ended, but nobody waits for one that nobody wants any more.
    subscription.add(onLoop { keepAlive.release() })
    Scheduler.background(named: "raclette.names").schedule {
      let found = SocketAddress.named(place.host, port: place.port)
      loop.enqueue {
        keepAlive.release()
        finish(found)
      }
    }
  }
}
