/// The executions that ended last: their processes may still be ending and may still print.
struct EndedRecords {
  private static let most = 1_000

  private var records: [Int: ExecutionRecord] = [:]
  private var order: [Int] = []
  private var next = 0

  subscript(id: Int) -> ExecutionRecord? { records[id] }

  mutating func add(_ record: ExecutionRecord, _ id: Int) {
    records[id] = record
    if order.count < Self.most { return order.append(id) }
    records[order[next]] = nil
    order[next] = id
    next = (next + 1) % Self.most
  }
}
