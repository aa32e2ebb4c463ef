/// What a worker has to tell the server, in the columns of `raclette.finish`.
struct Outbox {
  /// The end of a claim.
  struct End {
    var token: Int
    /// The state that `raclette.finish` takes.
    var state: String
    var duration = 0.0
    var attempts = 1
    var code: Int?
    var errorKind: String?
    var error: String?
    var output: [UInt8]?
    /// The event that shows the end; empty if the server makes it.
    var event = ""
  }

  private(set) var ends: [End] = []
  private(set) var begun: Set<Int> = []
  private(set) var outputs: [(token: Int, batch: Int, events: String)] = []
  /// True if the server has not taken all that there was to tell.
  var isFlawed = false
  /// The batches whose readers have not been woken.
  private(set) var untold: Set<Int> = []

  var isEmpty: Bool { ends.isEmpty && begun.isEmpty && outputs.isEmpty }

  mutating func end(_ end: End, of batch: Int) {
    ends.append(end)
    // The record of the end says all.
    begun.remove(end.token)
    untold.insert(batch)
  }

  mutating func begin(_ token: Int) { begun.insert(token) }

  /// Adds an event, with token 0 if it is about no entry.
  mutating func add(_ event: String, of token: Int, in batch: Int) {
    untold.insert(batch)
    if let last = outputs.indices.last, outputs[last].token == token, outputs[last].batch == batch {
      outputs[last].events += "\n" + event
    } else {
      outputs.append((token, batch, event))
    }
  }

  /// Remembers batches whose readers a step has not woken.
  mutating func untell(_ batches: Set<Int>) { untold.formUnion(batches) }

  /// The parameters of `raclette.finish` behind the session.
  func parameters(tells: Bool, want: Int) -> [ServerValue] {
    [
      .integers(ends.map(\.token)), .texts(ends.map(\.state)), .numbers(ends.map(\.duration)),
      .integers(ends.map(\.attempts)), .integers(ends.map(\.code)),
      .texts(ends.map(\.errorKind)), .texts(ends.map(\.error)), .binaries(ends.map(\.output)),
      .texts(ends.map(\.event)), .integers(begun.sorted()), .integers(outputs.map(\.token)),
      .integers(outputs.map(\.batch)), .texts(outputs.map(\.events)),
      .integers(tells ? untold.sorted() : []), .integer(want),
    ]
  }
}
