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
    let ended = executions.all.lazy.filter {
      $0.command == command.name && $0.isOver && $0.wasExecuted && $0.created >= begin
    }
    let found = Array(ended.prefix(limit + 1).map(EndedExecution.init))
    respond(Self.history(of: command.name, found, limit))
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
