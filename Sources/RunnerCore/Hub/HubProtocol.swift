/// The protocol of hubs and their clients: the panel's API, with what only a hub has.
package enum HubProtocol {
  /// Its number. Each change of a request or an answer that a hub and a client of before and after it would
  /// misread takes the next one.
  package static let number = 5

  /// The field of an answer's head that names the hub's number.
  package static let field = "X-Raclette-Protocol"

  /// The beginning of the paths of requests. It names the number, so that a hub of another protocol does
  /// not act on a request: one from before there were numbers has no such paths.
  package static var path: String { "/hub/\(number)" }

  /// Reads the segments of a request's path.
  ///
  /// - Returns: the number in it, and the segments as the panel's API has them; nil for the path of a
  ///   program that speaks the panel's API, or of a client from before there were numbers.
  package static func read(_ segments: [String]) -> (number: Int, segments: [String])? {
    guard segments.count > 1, segments[0] == "hub", let number = Int(segments[1]) else {
      return nil
    }
    return (number, ["api", "v1"] + segments.dropFirst(2))
  }
}
