import Platform

/// The answer of a server.
public enum ServerAnswer: Sendable, Equatable {
  /// It has accepted the connection and sent these bytes, as far as was asked for.
  case reply([UInt8])
  /// The system's error number; `ETIMEDOUT` if it took too long.
  case failed(Int32)
}

extension EventLoop {
  /// Connects to a server, sends it some bytes, and collects its reply.
  ///
  /// - Parameters:
  ///   - request: what is sent; if it is empty, the connection alone is the answer.
  ///   - limit: the most time that it may take.
  ///   - isComplete: returns true once the reply is long enough. A connection that the server closes
  ///     ends the reply.
  ///   - completion: called once on the loop's thread, never from inside this call.
  /// - Returns: ends the question; `completion` is not called any more.
  public func ask(
    _ address: SocketAddress, sending request: [UInt8] = [], within limit: Duration,
    until isComplete: @escaping ([UInt8]) -> Bool = { _ in true },
    _ completion: @escaping (ServerAnswer) -> Void
  ) -> () -> Void {
    let question = ServerQuestion(self, request, isComplete, completion)
    question.start(address, within: limit)
    return { question.end() }
  }
}

/// One connection to a server. Confined to the loop's thread.
private final class ServerQuestion {
  private let loop: EventLoop
  private let request: [UInt8]
  private let isComplete: ([UInt8]) -> Bool
  private var completion: ((ServerAnswer) -> Void)?
  private var descriptor: Int32 = -1
  private var watch: DescriptorWatch?
  private var timer: Timer?
  private var isConnected = false
  private var reply: [UInt8] = []

  init(
    _ loop: EventLoop, _ request: [UInt8], _ isComplete: @escaping ([UInt8]) -> Bool,
    _ completion: @escaping (ServerAnswer) -> Void
  ) {
    self.loop = loop
    self.request = request
    self.isComplete = isComplete
    self.completion = completion
  }

  func start(_ address: SocketAddress, within limit: Duration) {
    descriptor = address.open()
    guard descriptor >= 0 else { return finishLater(.failed(errno)) }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let number = descriptor
    if address.with({ connect(number, $0, $1) }) != 0, errno != EINPROGRESS {
      return finishLater(.failed(errno))
    }
    do throws(EventLoopError) {
      watch = try loop.watchDescriptor(descriptor) { [self] in look() }
    } catch {
      return finishLater(.failed(EMFILE))
    }
    watch?.waitForSpace(true)
    timer = loop.timer(after: limit) { [self] in finish(.failed(ETIMEDOUT)) }
  }

  private func look() {
    if !isConnected {
      var code: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
        return finish(.failed(code == 0 ? errno : code))
      }
      isConnected = true
      watch?.waitForSpace(false)
      if request.isEmpty { return finish(.reply([])) }
      // A request is shorter than the system's buffer.
      guard request.withUnsafeBytes({ writeBytes($0, to: descriptor) }) == request.count else {
        return finish(.failed(errno))
      }
      return
    }
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { space in
      let count = readBytes(from: descriptor, into: space)
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      if count < 0 { return finish(.failed(errno)) }
      reply += space[..<count]
      if count == 0 || isComplete(reply) { finish(.reply(reply)) }
    }
  }

  private func finishLater(_ answer: ServerAnswer) {
    timer = loop.timer(after: .zero) { [self] in finish(answer) }
  }

  private func finish(_ answer: ServerAnswer) {
    let completion = completion
    end()
    completion?(answer)
  }

  func end() {
    completion = nil
    timer?.cancel()
    watch?.cancel()
    (timer, watch) = (nil, nil)
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
