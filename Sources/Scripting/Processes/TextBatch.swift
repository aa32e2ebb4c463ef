import LuaRuntime
import Reactive

/// The most bytes in a line that is sent as one value; a longer line is sent in pieces, because
/// `cat /dev/zero` must not fill memory.
let longestLine = 16 << 20

/// The number of values that one counts for in the record of an execution: one for each 256 bytes, so
/// that the record is bounded by bytes too.
func weight(ofBytes count: Int) -> Int { max(1, count / 256) }

/// The bytes that a value takes in a backlog beside those of its text.
let backlogOfValue = 256

/// Values that are written unchanged, with nothing between or after them.
public class TextBatch: Batch<LuaValue>, @unchecked Sendable {
  // Unchecked only because it is open: the properties that it adds are immutable.

  /// The text to write.
  public let text: [UInt8]
  /// The bytes that it takes in a backlog.
  let backlog: Int

  /// - Parameter backlog: the bytes that it takes in a backlog; nil for those of the text.
  init(_ text: [UInt8], count: Int, valueWeight: Int, backlog: Int? = nil) {
    self.text = text
    self.backlog = backlog ?? text.count
    super.init(count: count, valueWeight: valueWeight)
  }
}

/// Lines of a process's output that are passed on in one piece, and are strings to receivers that
/// look at them one by one.
public final class LineBatch: TextBatch, @unchecked Sendable {
  // Unchecked only because its superclass is open: it adds no property.

  /// - Parameter text: at least one line, each with its newline.
  init(_ text: [UInt8]) {
    let count = text.withUnsafeBytes(countNewlines)
    super.init(text, count: count, valueWeight: weight(ofBytes: text.count / count))
  }

  /// Lines that functions of Lua have made. In a backlog each takes as much as a value by itself.
  ///
  /// - Parameter lines: at least one.
  init(_ lines: LuaLines) {
    super.init(
      lines.text, count: lines.count, valueWeight: weight(ofBytes: lines.text.count / lines.count),
      backlog: lines.text.count + lines.count * backlogOfValue)
  }

  public override func forEach(
    from start: Int, while condition: () -> Bool, _ body: (LuaValue) -> Void
  ) {
    text.withUnsafeBytes { text in
      var index = 0
      forEachLine(of: text) { line in
        guard index < start || condition() else { return false }
        if index >= start { body(.string(LuaString(line))) }
        index += 1
        return true
      }
    }
  }
}

/// A value that does not end a line: a chunk of bytes, a piece of a line that is too long to be one
/// value, or the last line of a process that wrote no newline behind it.
public final class ByteChunk: TextBatch, @unchecked Sendable {
  // Unchecked only because its superclass is open: it adds no property.

  fileprivate init(_ bytes: UnsafeRawBufferPointer) {
    super.init(Array(bytes), count: 1, valueWeight: weight(ofBytes: bytes.count))
  }

  public override func forEach(
    from start: Int, while condition: () -> Bool, _ body: (LuaValue) -> Void
  ) {
    if condition() { body(.string(LuaString(text))) }
  }
}

/// A long string, in a batch because of its weight.
final class LongString: Batch<LuaValue>, @unchecked Sendable {
  // Unchecked only because its superclass is open: the property that it adds is immutable.

  private let string: LuaString

  init(_ string: LuaString) {
    self.string = string
    super.init(count: 1, valueWeight: weight(ofBytes: string.count))
  }

  override func forEach(
    from start: Int, while condition: () -> Bool, _ body: (LuaValue) -> Void
  ) {
    if condition() { body(.string(string)) }
  }
}

extension Observer<LuaValue> {
  /// This observer for values of any length, of which it receives long strings as batches.
  var weighing: Observer<LuaValue> {
    guard let batch else { return self }
    return Observer(
      next: { [next] value in
        if case .string(let string) = value, string.count >= 512 {
          batch(LongString(string))
        } else {
          next(value)
        }
      }, batch: batch, end: end)
  }
}

/// The part of a line that a process has written so far and that is no value yet, for receivers that
/// show text as it comes. The value that ends the line repeats it.
public final class UnfinishedLine: Batch<LuaValue>, @unchecked Sendable {
  // Unchecked only because its superclass is open: the properties that it adds are immutable.

  /// The bytes that have come since the previous notice of the same line.
  public let bytes: [UInt8]
  /// The number of bytes of the line that earlier notices had.
  public let offset: Int
  /// A number of the process, by which lines that several have begun are told apart.
  public let source: Int

  init(_ bytes: [UInt8], at offset: Int, from source: Int) {
    self.bytes = bytes
    self.offset = offset
    self.source = source
    super.init(count: 0)
  }

  public override func forEach(
    from start: Int, while condition: () -> Bool, _ body: (LuaValue) -> Void
  ) {}
}

extension Batch<LuaValue> {
  /// Returns a chunk of some bytes.
  public static func chunk(_ bytes: UnsafeRawBufferPointer) -> Batch<LuaValue> { ByteChunk(bytes) }
}

extension Observer<LuaValue> {
  /// Sends a chunk; a receiver that does not know chunks gets it as an ordinary value.
  func send(chunk bytes: UnsafeRawBufferPointer) {
    if let batch { batch(ByteChunk(bytes)) } else { next(.string(LuaString(bytes))) }
  }
}
