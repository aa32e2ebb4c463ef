import Platform

// Sendable because nothing writes to the buffer once an initialiser has returned; ManagedBuffer
// itself cannot promise that.
/// The bytes of a Lua string: any bytes, zero and invalid UTF-8 included. Immutable; one pointer
/// wide.
public struct LuaString: @unchecked Sendable, Equatable, Hashable {
  private typealias Storage = ManagedBuffer<Int, UInt8>
  private let storage: Storage

  private static let empty = LuaString(storage: makeStorage(count: 0))

  private init(storage: Storage) { self.storage = storage }

  private static func makeStorage(count: Int) -> Storage {
    Storage.create(minimumCapacity: count) { _ in count }
  }

  /// A copy of some bytes.
  public init(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else {
      self = .empty
      return
    }
    storage = Self.makeStorage(count: bytes.count)
    storage.withUnsafeMutablePointerToElements {
      UnsafeMutableRawPointer($0).copyMemory(from: base, byteCount: bytes.count)
    }
  }

  /// A copy of some bytes.
  public init(_ bytes: some Sequence<UInt8>) {
    let copy = ContiguousArray(bytes)
    self = copy.withUnsafeBytes { LuaString($0) }
  }

  /// The bytes of a text, its `exactBytes`.
  public init(utf8 text: String) {
    self = text.withExactBytes { LuaString($0) }
  }

  /// The number of bytes.
  public var count: Int { storage.header }

  /// Whether there are no bytes.
  public var isEmpty: Bool { count == 0 }

  /// Calls `body` with the bytes, which are valid during the call.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let count = storage.header
    let elements = storage.withUnsafeMutablePointerToElements { $0 }
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeRawBufferPointer(start: elements, count: count))
  }

  /// The bytes as UTF-8 text, or nil when they are none.
  public var text: String? {
    withUnsafeBytes { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes as text that keeps those which are not UTF-8.
  public var exactText: String { withUnsafeBytes { String(exactly: $0) } }

  /// Whether the bytes are the same.
  public static func == (left: LuaString, right: LuaString) -> Bool {
    if left.storage === right.storage { return true }
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { a in right.withUnsafeBytes { b in a.elementsEqual(b) } }
  }

  /// Agrees with `==`.
  public func hash(into hasher: inout Hasher) {
    withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension LuaString: CustomStringConvertible {
  /// The bytes as text; what is no UTF-8 is replaced by U+FFFD.
  public var description: String {
    withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}

extension LuaString: ExpressibleByStringLiteral {
  /// The UTF-8 bytes of a literal.
  public init(stringLiteral text: String) { self.init(utf8: text) }
}
