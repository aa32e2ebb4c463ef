import CMicroHTTP
import RunnerCore
import Scripting

/// The head of a request, and its body once it has arrived.
struct HTTPRequest {
  let method: String
  /// The path as it came, without its query.
  let path: String
  /// The arguments of the query in order, decoded.
  let arguments: [(name: String, value: String)]
  /// The headers with their names in lower case.
  let headers: [(name: String, value: String)]
  var body: [UInt8] = []
  /// The variables that what it asks for begins with; nil for those of the interpreter. Only clients of a
  /// hub have any.
  var caller: CallerEnvironment?

  /// Reads the head of the request on a connection.
  init(_ connection: OpaquePointer, path: String, method: String) {
    self.path = path
    self.method = method
    headers = Self.pairs(connection, cmicrohttp_headers).map { ($0.lowercased(), $1) }
    arguments = Self.pairs(connection, cmicrohttp_arguments).map { name, value in
      (PercentEncoding.decoded(name) ?? name, PercentEncoding.decoded(value) ?? value)
    }
  }

  /// The value of a header; nil if it is missing, or given more than once, because the two sides of
  /// a check must not mean different ones.
  subscript(header: String) -> String? {
    let values = headers.filter { $0.name == header }
    return values.count == 1 ? values[0].value : nil
  }

  func has(_ header: String) -> Bool { headers.contains { $0.name == header } }

  /// The segments of the path, decoded; nil if one is not valid.
  var segments: [String]? {
    guard path.first == "/" else { return nil }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    var segments: [String] = []
    for part in parts {
      guard let segment = PercentEncoding.decoded(part) else { return nil }
      segments.append(segment)
    }
    return segments
  }

  private final class Pairs {
    var all: [(String, String)] = []
  }

  private static func pairs(
    _ connection: OpaquePointer,
    _ read: (OpaquePointer?, cmicrohttp_iterator?, UnsafeMutableRawPointer?) -> Void
  ) -> [(String, String)] {
    let pairs = Pairs()
    read(
      connection,
      { context, _, name, nameCount, value, valueCount in
        guard let context, let name else { return 0 }
        let text = { (bytes: UnsafePointer<CChar>?, count: Int) in
          String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count),
            as: UTF8.self)
        }
        Unmanaged<Pairs>.fromOpaque(context).takeUnretainedValue().all.append(
          (text(name, nameCount), text(value, valueCount)))
        return 1
      }, Unmanaged.passUnretained(pairs).toOpaque())
    return pairs.all
  }
}
