import Journal
import Platform
import RunnerCore
import Scripting

extension Panel {
  /// How many executions an answer has, and how far back it goes, at most.
  private static let mostEnded = 1_000
  private static let mostDays = 3_660

  /// Answers with the ended executions of a command, the latest first.
  func history(
    of command: ScriptCommand, _ request: HTTPRequest,
    _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    let query = try Query(request, known: ["days", "limit"])
    let limit = try query.number("limit", in: 1...Self.mostEnded) ?? 100
    let days = try query.number("days", in: 1...Self.mostDays)
    let begin = days.map { WallClock.seconds - Double($0) * 86_400 } ?? 0
    let name = command.name
    guard let queries else {
      return respond(Self.history(of: name, ended(of: name, since: begin), limit))
    }
    let answer = onLoop { [self] (found: Result<[RecordedExecution], JournalError>) in
      do throws(JournalError) {
        // What has ended just now may not be recorded.
        let all = Dictionary(
          try found.get().map(EndedExecution.init).map { ($0.id, $0) }
            + ended(of: name, since: begin).map { ($0.id, $0) }
        ) { $1 }
        let latest = all.values.filter(\.wasExecuted).sorted { $0.id > $1.id }
        respond(Self.history(of: name, latest, limit))
      } catch { respond(APIError(503, "journal", "\(error)").response) }
    }
    queries.ended(of: name, since: begin, limit: limit + 1) { [loop = session.loop] found in
      loop.enqueue { answer(found) }
    }
  }

  /// The ended executions of a command that the panel keeps, the latest first.
  private func ended(of command: String, since begin: Double) -> [EndedExecution] {
    executions.all.filter {
      $0.command == command && $0.isOver && $0.created >= begin
    }.map(EndedExecution.init).filter(\.wasExecuted)
  }

  /// - Parameter found: what there is, with one more than the limit if there are more.
  private static func history(
    of command: String, _ found: [EndedExecution], _ limit: Int
  ) -> HTTPResponse {
    .json(
      200,
      .object([
        ("command", .string(command)),
        ("executions", .list(found.prefix(limit).map(\.json))),
        ("more", .bool(found.count > limit)),
      ]))
  }
}
