import Platform
import RunnerCore
import Scripting

/// What pages and other clients read: streams of events, and recorded output.
extension Panel {
  private static let mostStreams = 1_000
  private static let mostLooks = 64
  private static let mostPages = 64
  /// The bytes of recorded output in one answer, and those that are looked through for it.
  private static let answerSize = 1 << 20
  private static let searchSize = 16 << 20

  // MARK: Streams

  func events(_ request: HTTPRequest) throws(APIError) -> HTTPResponse {
    let query = try Query(request, known: ["page", "look"])
    guard feed.readerCount < Self.mostStreams else {
      throw APIError(503, "busy", "\(Self.mostStreams) streams are open, which is the most")
    }
    let names = query.all("page")
    guard names.count <= Self.mostPages, names.allSatisfy(Route.isPage) else {
      throw .request(
        "argument 'page' must be a name of 1 to 64 letters, digits, '-' and '_', given at most "
          + "\(Self.mostPages) times")
    }
    let id: String
    do { id = try RandomText.make(bytes: 12) } catch { throw APIError(503, "busy", "\(error)") }
    let known = request["last-event-id"].flatMap(StreamPlace.init)
    let place = known.flatMap { $0.server == feed.server && $0.place <= feed.ring.end ? $0 : nil }
    var pages = resumed(place)
    for name in names where !pages.contains(where: { $0.name == name }) {
      pages.append(EventReader.Page(name: name))
    }
    let looks = try query.all("look").map { text throws(APIError) in try look(text) }
    if !looks.isEmpty, place == nil {
      if pages.isEmpty { pages.append(EventReader.Page(name: EventReader.usualPage)) }
      pages[0].looks = looks
    }
    guard looks.count <= Self.mostLooks else { throw Self.tooManyLooks }
    var first = [stream(id)]
    // Nothing of what another start of the server has sent is known.
    if request.has("last-event-id"), place == nil { first.append(feed.gap(feed.ring.end)) }
    let reader = EventReader(feed, id: id, place: place?.place ?? feed.ring.end, pages: pages)
    reader.begin(with: first)
    feed.add(reader)
    return HTTPResponse(
      200, headers: [("Content-Type", "text/event-stream")], body: .stream(reader))
  }

  /// The pages of a stream that goes on at a place; what is no longer kept is left out.
  private func resumed(_ place: StreamPlace?) -> [EventReader.Page] {
    (place?.pages ?? []).prefix(Self.mostPages).map { page in
      EventReader.Page(
        name: page.name,
        looks: page.looks.prefix(Self.mostLooks).compactMap { look in
          executions[look.execution].map { EventReader.Look($0, from: look.next) }
        })
    }
  }

  private func stream(_ id: String) -> [UInt8] {
    Array(
      EventJSON.text(
        feed.number, "stream",
        [
          ("stream", "\"\(id)\""), ("server", "\"\(feed.server)\""),
          ("version", JSONValue.string(ScriptHost.version).text), ("read_only", "\(isReadOnly)"),
        ]
      ).utf8)
  }

  /// Reads `EXECUTION` or `EXECUTION:FROM`.
  private func look(_ text: String) throws(APIError) -> EventReader.Look {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let from = parts.count == 2 ? Int(parts[1]) : 0
    guard let id = Int(digits: parts[0]), let from, parts.count <= 2 else {
      throw .request("argument 'look' must be EXECUTION or EXECUTION:FROM")
    }
    return EventReader.Look(try execution(id), from: from)
  }

  private static var tooManyLooks: APIError {
    .request("a page looks at \(mostLooks) executions at most")
  }

  // MARK: Pages

  func page(_ name: String, _ request: HTTPRequest) throws(APIError) -> HTTPResponse {
    _ = try Query(request, known: [])
    if request.method == "DELETE" {
      feed.removePage(name)
      controls.removeRefreshers(of: name)
      return HTTPResponse(204)
    }
    let body = try JSONBody(request.body, known: ["stream", "look"])
    let id = try body.text("stream")
    guard let reader = feed.reader(id) else {
      throw APIError(404, "not_found", "there is no stream '\(id)', or it has ended")
    }
    let old = reader.pages.first { $0.name == name }
    guard old != nil || reader.pages.count < Self.mostPages else {
      throw .request("a stream has \(Self.mostPages) pages at most")
    }
    reader.setPage(EventReader.Page(name: name, looks: try looks(body["look"], old)))
    return HTTPResponse(204)
  }

  private func looks(
    _ value: JSONValue?, _ old: EventReader.Page?
  ) throws(APIError) -> [EventReader.Look] {
    guard let value else { return [] }
    guard case .list(let elements) = value else { throw .request("field 'look' must be a list") }
    guard elements.count <= Self.mostLooks else { throw Self.tooManyLooks }
    return try elements.map { element throws(APIError) in
      let problem = APIError.request(
        "field 'look' is a list of {\"execution\": number, \"from\": number}")
      guard case .object(let fields) = element else { throw problem }
      var id: Int?
      var from: Int?
      for (name, value) in fields {
        guard case .integer(let number) = value else { throw problem }
        switch name {
        case "execution": id = Int(number)
        case "from": from = Int(number)
        default: throw problem
        }
      }
      guard let id else { throw problem }
      if from == nil, let look = old?.looks.first(where: { $0.execution.id == id }) { return look }
      return EventReader.Look(try execution(id), from: from ?? 0)
    }
  }

  // MARK: Recorded output

  func values(
    of execution: PanelExecution, _ request: HTTPRequest
  ) throws(APIError) -> HTTPResponse {
    let query = try Query(request, known: ["from", "limit", "find"])
    let from = try query.number("from", in: .min + 1 ... .max) ?? 0
    let limit = try query.number("limit", in: 1...10_000) ?? 1_000
    let sought = try query.text("find").map { Array($0.utf8).map(asciiLowercase) }
    if sought?.isEmpty == true { throw .request("argument 'find' must be a string") }
    var cursor = OutputCursor(execution.output, from: from)
    let encoder = OutputEncoder(command: execution.command, execution: execution.id)
    let first = cursor.next
    var text: [UInt8] = []
    var count = 0
    var seen = 0
    cursor.read { output in
      guard count < limit, text.count < Self.answerSize, seen < Self.searchSize else {
        return false
      }
      seen += output.bytes.count + 1
      if let sought, !contains(output.bytes, sought) { return true }
      if count > 0 { text.append(UInt8(ascii: ",")) }
      encoder.encode(output, to: &text)
      count += 1
      return true
    }
    let head =
      "{\"execution\":\(execution.id),\"from\":\(first),\"next\":\(cursor.next),"
      + "\"outputs\":\(execution.output.count),\"ended\":\(execution.isOver),\"events\":["
    return HTTPResponse(
      200, headers: [("Content-Type", "application/json; charset=utf-8")],
      body: .bytes(Array(head.utf8) + text + Array("]}\n".utf8)))
  }
}

private func asciiLowercase(_ byte: UInt8) -> UInt8 {
  (65...90).contains(byte) ? byte | 32 : byte
}

/// Returns true if bytes contain others, which are in lower case, whatever the case of ASCII letters.
private func contains(_ bytes: UnsafeRawBufferPointer, _ sought: [UInt8]) -> Bool {
  guard bytes.count >= sought.count else { return false }
  let first = sought[0]
  return (0...bytes.count - sought.count).contains { start in
    asciiLowercase(bytes[start]) == first
      && sought.indices.allSatisfy { asciiLowercase(bytes[start + $0]) == sought[$0] }
  }
}
