/// A queue of requests to which one can be given back.
struct Requests<Request> {
  private var requests: [Request?] = []
  private var first = 0

  var count: Int { requests.count - first }

  mutating func append(_ request: Request) { requests.append(request) }

  /// Takes the oldest request.
  mutating func next() -> Request? {
    guard first < requests.count else { return nil }
    defer {
      requests[first] = nil
      first += 1
      if first == requests.count || first > 1_000 {
        requests.removeFirst(first)
        first = 0
      }
    }
    return requests[first]
  }

  /// Removes some of the requests.
  mutating func removeAll(where isMeant: (Request) -> Bool) {
    requests = requests[first...].filter { $0.map { !isMeant($0) } ?? false }
    first = 0
  }

  /// Puts a request before all others.
  mutating func putBack(_ request: Request) {
    if first > 0 {
      first -= 1
      requests[first] = request
    } else {
      requests.insert(request, at: 0)
    }
  }
}
