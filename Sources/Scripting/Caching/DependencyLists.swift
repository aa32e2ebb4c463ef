/// The lists of files that depfiles have named after executions which are equal in all that is known
/// before they begin. The content of these files makes the rest of a key.
struct DependencyLists: Sendable, Equatable {
  /// The latest first.
  private(set) var lists: [[String]] = []

  /// More are seldom of use, and each is compared.
  private static let most = 8
  private static let mark = "raclette dependencies 1\n"

  init() {}

  mutating func add(_ list: [String]) {
    lists = [list] + lists.filter { $0.map(\.exactBytes) != list.map(\.exactBytes) }
    lists = Array(lists.prefix(Self.most))
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(list: lists) { writer, list in writer.write(list: list) { $0.write($1) } }
    return CacheDocument(mark: Self.mark).bytes(of: writer.bytes)
  }

  init(_ bytes: [UInt8]) throws(CacheProblem) {
    var reader = ByteReader(try CacheDocument(mark: Self.mark).content(of: bytes))
    do {
      lists = try reader.list { reader throws(ByteReader.Malformed) in
        try reader.list { reader throws(ByteReader.Malformed) in try reader.text() }
      }
    } catch {
      throw .damaged
    }
  }
}
