import Platform
import Scripting
import Synchronization
import Testing

enum BrowserError: Error, CustomStringConvertible {
  case ended(String)
  case refused(method: String, message: String)
  case thrown(String)
  case timeout(String)

  var description: String {
    switch self {
    case .ended(let method): "the browser ended during \(method)"
    case .refused(let method, let message): "\(method): \(message)"
    case .thrown(let message): message
    case .timeout(let what): "the browser gave no answer to \(what)"
    }
  }
}

/// A headless browser, driven by the DevTools protocol over a pair of pipes.
///
/// It ends with the object: its end of the pipe is closed then.
final class Chromium: Sendable {
  /// The shell without windows, which keeps nothing on disk; nil if this machine lacks it.
  static let program: String? = {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").lazy.map { "\($0)/chromium-headless-shell" }
      .first { access($0, X_OK) == 0 }
  }()

  static let hint = "the package chromium-headless-shell is missing: scripts/setup --tests"

  /// For how long an answer is waited for.
  private static let patience: Int32 = 90_000

  private struct State {
    var number: Int64 = 0
    var rest: [UInt8] = []
    /// How many bytes of `rest` have been searched for the end of a message.
    var searched = 0
    var events: [JSONValue] = []
  }

  private let pid: pid_t
  private let reading: Int32
  private let writing: Int32
  /// Held during a call: calls of several tasks take turns.
  private let state = Mutex(State())

  init() {
    let (inside, writing) = makePipe()
    let (reading, outside) = makePipe()
    var options = [
      "--remote-debugging-pipe", "--headless", "--disable-gpu", "--hide-scrollbars",
      "--force-color-profile=srgb", "--font-render-hinting=none", "about:blank",
    ]
    if geteuid() == 0 { options.insert("--no-sandbox", at: 0) }
    let launch = Launch(
      program: Self.program ?? "chromium-headless-shell", arguments: options,
      descriptors: [3: inside, 4: outside])
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    pid = launch.start((null, null, null))
    for descriptor in [null, inside, outside] { close(descriptor) }
    self.reading = reading
    self.writing = writing
  }

  deinit {
    close(writing)
    close(reading)
    _ = exitStatus(of: pid)
  }

  /// Calls a method of the protocol.
  ///
  /// - Parameter session: the page it is for; nil for the browser.
  /// - Returns: its result.
  @discardableResult
  func call(
    _ method: String, _ parameters: [(String, JSONValue)] = [], session: String? = nil
  ) async throws -> JSONValue {
    try await onThread {
      Result { try self.state.withLock { try self.exchange(method, parameters, session, &$0) } }
    }.get()
  }

  /// The event of a session that comes next, or came already and was not asked for.
  func event(_ method: String, session: String?) async throws -> JSONValue {
    try await onThread {
      Result {
        try self.state.withLock { state in
          var index = 0
          while true {
            while index == state.events.count {
              state.events.append(try self.receive(method, &state))
            }
            let event = state.events[index]
            if event["method"].string == method, event["sessionId"].string == session {
              state.events.remove(at: index)
              return event["params"]
            }
            index += 1
          }
        }
      }
    }.get()
  }

  /// The events of a session so far that were not asked for.
  func events(_ method: String, session: String?) -> [JSONValue] {
    state.withLock { state in
      state.events.filter { $0["method"].string == method && $0["sessionId"].string == session }
        .map { $0["params"] }
    }
  }

  private func exchange(
    _ method: String, _ parameters: [(String, JSONValue)], _ session: String?,
    _ state: inout State
  ) throws -> JSONValue {
    state.number += 1
    let number = state.number
    var message: [(String, JSONValue)] = [
      ("id", .integer(number)), ("method", .string(method)), ("params", .object(parameters)),
    ]
    if let session { message.append(("sessionId", .string(session))) }
    try send(JSONValue.object(message).text, method)
    while true {
      let answer = try receive(method, &state)
      guard answer["id"].int == Int(number) else {
        state.events.append(answer)
        continue
      }
      if let problem = answer["error"]["message"].string {
        throw BrowserError.refused(method: method, message: problem)
      }
      return answer["result"]
    }
  }

  private func send(_ text: String, _ method: String) throws {
    guard writeWhole(Array(text.utf8) + [0], to: writing) else { throw BrowserError.ended(method) }
  }

  /// The next message, which a zero byte ends.
  private func receive(_ method: String, _ state: inout State) throws -> JSONValue {
    var space = [UInt8](repeating: 0, count: 65_536)
    while true {
      if let end = state.rest[state.searched...].firstIndex(of: 0) {
        let message = JSONValue(parsing: state.rest[..<end])
        state.rest.removeFirst(end + 1)
        state.searched = 0
        return message ?? .null
      }
      state.searched = state.rest.count
      var wait = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
      switch poll(&wait, 1, Self.patience) {
      case 0: throw BrowserError.timeout(method)
      case ..<0: continue
      default: break
      }
      let count = read(reading, &space, space.count)
      if count == 0 { throw BrowserError.ended(method) }
      if count > 0 { state.rest += space[..<count] }
    }
  }
}
