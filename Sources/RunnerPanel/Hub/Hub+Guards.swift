import Platform
import RunnerCore
import Scripting

/// What clients that are killed leave running.
extension Hub {
  /// Ends what runs of a client when its connection ends, by the record that it writes.
  func watch(
    _ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    _ = try Query(request, known: [])
    let body = try JSONBody(request.body, known: ["record", "number"])
    let record = try GuardedRecord(try body.text("record"))
    guard let number = body["number"]?.integer else { throw .request("'number' is missing") }
    let stream = ServiceStream()
    stream.onLeave = { [self] in
      // The hub itself leaves, and the client goes on with another one.
      if !isStopping { endProcesses(by: record, ofConnection: Int(number)) }
      return false
    }
    stream.send(.object([]))
    self.respond(with: stream, respond)
  }

  private func endProcesses(by record: GuardedRecord, ofConnection number: Int) {
    let left = HubInheritance(groups: record.content)
    // A client that lives has ended the connection, and may have another one.
    guard left.guarding == number else { return }
    endingCount += 1
    left.endGroups(on: session.loop) { [self] leaders in
      endingCount -= 1
      guard !leaders.isEmpty else { return }
      HubLog.note(HubLog.text(ofGroups: leaders, of: "a killed run"))
    }
  }
}

/// The record of a client, which is kept beyond its end.
private final class GuardedRecord {
  private let descriptor: Int32

  init(_ path: String) throws(APIError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .request("cannot read '\(path)': \(systemErrorText(errno))")
    }
  }

  deinit { close(descriptor) }

  var content: [UInt8] {
    var bytes: [UInt8] = []
    var space = [UInt8](repeating: 0, count: 16 << 10)
    while case let count = pread(descriptor, &space, space.count, off_t(bytes.count)), count > 0 {
      bytes += space[..<count]
    }
    return bytes
  }
}
