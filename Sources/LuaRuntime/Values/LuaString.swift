import Platform

/// The bytes of a Lua string: any bytes, including zero and invalid UTF-8. Immutable; one pointer
/// wide.
public struct LuaString: @unchecked Sendable, Equatable, Hashable {
  // Unchecked: nothing writes to the buffer once an initialiser has returned, which ManagedBuffer
  // itself cannot guarantee.

  private typealias Storage = ManagedBuffer<Int, UInt8>
  private let storage: Storage

  private static let empty = LuaString(storage: makeStorage(count: 0))

  private init(storage: Storage) { self.storage = storage }

  private static func makeStorage(count: Int) -> Storage {
    Storage.create(minimumCapacity: count) { _ in count }
  }

  /// Copies some bytes.
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

  /// Copies some bytes.
  public init(_ bytes: some Sequence<UInt8>) {
    let copy = ContiguousArray(bytes)
    self = copy.withUnsafeBytes { LuaString($0) }
  }

  /// Copies the bytes of a text, its `exactBytes`.
  public init(utf8 text: String) {
    self = text.withExactBytes { LuaString($0) }
  }

  /// The number of bytes.
  public var count: Int { storage.header }

  /// True if there are no bytes.
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

  /// The bytes as text, or nil if they are not UTF-8.
  public var text: String? {
    withUnsafeBytes { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes as text that preserves invalid UTF-8.
  public var exactText: String { withUnsafeBytes { String(exactly: $0) } }

  /// Returns true if the bytes are equal.
  public static func == (left: LuaString, right: LuaString) -> Bool {
    if left.storage === right.storage { return true }
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { a in right.withUnsafeBytes { b in a.elementsEqual(b) } }
  }

  /// Hashes consistently with `==`.
  public func hash(into hasher: inout Hasher) {
    withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension LuaString: CustomStringConvertible {
  /// The bytes as text; invalid UTF-8 is replaced by U+FFFD.
  public var description: String {
    withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}

extension LuaString: ExpressibleByStringLiteral {
  /// The UTF-8 bytes of a literal.
  public init(stringLiteral text: String) { self.init(utf8: text) }
}
