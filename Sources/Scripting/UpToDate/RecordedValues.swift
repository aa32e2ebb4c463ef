import LuaRuntime
import Reactive

/// The values that an execution has sent, to be sent again by one that is left out.
struct RecordedValues: Sendable {
  /// The most bytes that are kept.
  static let mostBytes = 4 << 20

  private enum Kind: UInt64 {
    /// A value as JSON.
    case json
    /// A string.
    case string
    /// Lines, each with its newline.
    case lines
    /// Bytes that do not end a line.
    case chunk
    /// What was written to standard error.
    case errors
    /// The same as `json`, `string`, `lines` and `chunk`, shown because nothing took it.
    case shownJSON
    case shownString
    case shownLines
    case shownChunk

    var shown: Kind {
      switch self {
      case .json, .shownJSON: .shownJSON
      case .string, .shownString: .shownString
      case .lines, .shownLines: .shownLines
      case .chunk, .shownChunk: .shownChunk
      case .errors: .errors
      }
    }

    var comesFromProcess: Bool { self == .lines || self == .chunk }
  }

  private struct Piece: Sendable {
    var kind: Kind
    var bytes: [UInt8]
    /// How many values it stands for.
    var count: Int
  }

  /// What is shown of an execution beside its values.
  enum Aside {
    case errors([UInt8])
    case shown(LuaValue)
    case shownBatch(Batch<LuaValue>)
  }

  private var pieces: [Piece] = []
  private var first = 0
  private var count = 0
  private var size = 0
  /// The most values that are kept, the latest ones.
  let capacity: Int
  /// Why they cannot be kept; nil if they can.
  private(set) var problem: String?

  init(capacity: Int = .max) { self.capacity = capacity }

  // MARK: Recording

  mutating func add(_ value: LuaValue, _ host: ScriptHost) {
    guard problem == nil, capacity > 0 else { return }
    if case .string(let string) = value { return add(.string, string.bytes, 1) }
    do {
      let document = try host.jsonValue(value)
      if document.masked != nil { return fail("a value that it sent holds a secret") }
      guard document.isText else {
        return fail("a table that it sent holds text that is not UTF-8")
      }
      add(.json, Array(document.text.utf8), 1, isMasked: true)
    } catch {
      fail("it sent a value that cannot be kept: \(error.message)")
    }
  }

  mutating func add(_ aside: Aside, _ host: ScriptHost) {
    let before = pieces.count
    switch aside {
    case .errors(let bytes): return add(.errors, bytes, 0)
    case .shown(let value): add(value, host)
    case .shownBatch(let batch): add(batch, host)
    }
    guard problem == nil else { return }
    for index in before..<pieces.count {
      pieces[index].kind = pieces[index].kind.shown
      count -= pieces[index].count
      pieces[index].count = 0
    }
  }

  mutating func add(_ batch: Batch<LuaValue>, _ host: ScriptHost) {
    switch batch {
    case let lines as LineBatch: add(.lines, lines.text, lines.count * lines.valueWeight)
    case let chunk as ByteChunk: add(.chunk, chunk.text, chunk.valueWeight)
    case let shown as ShownValues:
      if let batch = shown.batch { add(batch, host) } else { shown.forEach { add($0, host) } }
    default: batch.forEach { add($0, host) }
    }
  }

  private mutating func add(_ kind: Kind, _ bytes: [UInt8], _ number: Int, isMasked: Bool = false) {
    guard problem == nil, capacity > 0 else { return }
    if !isMasked, bytes.withUnsafeBytes({ Secrets.masked($0) }) != nil {
      return fail("a value that it sent holds a secret")
    }
    pieces.append(Piece(kind: kind, bytes: bytes, count: number))
    count += number
    size += bytes.count
    while first < pieces.count, count - pieces[first].count >= capacity {
      count -= pieces[first].count
      size -= pieces[first].bytes.count
      pieces[first].bytes = []
      first += 1
    }
    if size > Self.mostBytes {
      fail(
        "it sent more than \(Self.mostBytes >> 20) MiB, which is the most that is kept; "
          + "`replay` in its definition limits how many of its values are kept")
    }
  }

  private mutating func fail(_ reason: String) {
    problem = reason
    pieces = []
    first = 0
  }

  // MARK: Replaying

  /// Sends the values, and shows the rest as what the execution shows.
  func replay(to observer: Observer<LuaValue>, _ script: ScriptExecution) {
    let host = script.scriptCommand.host
    // What a process has sent is shown as that, also where nothing takes it.
    if pieces[first...].contains(where: \.kind.comesFromProcess) {
      _ = JoinedStreams.areWanted(by: observer)
    }
    let shown = host.observers.showsOutput(of: script.origin)
    for piece in pieces[first...] {
      switch piece.kind {
      case .errors:
        piece.bytes.withUnsafeBytes { host.observers.wroteErrors($0, of: script.origin) }
      case .json, .string, .lines, .chunk: send(piece, to: observer, host)
      case .shownJSON, .shownString, .shownLines, .shownChunk:
        if let shown { send(piece, to: shown, host) }
      }
    }
  }

  private func send(_ piece: Piece, to observer: Observer<LuaValue>, _ host: ScriptHost) {
    switch piece.kind {
    case .json, .shownJSON:
      observer.next(
        (try? host.value(json: String(decoding: piece.bytes, as: UTF8.self))) ?? .nil)
    case .string, .shownString: observer.next(.string(LuaString(piece.bytes)))
    case .lines, .shownLines:
      let lines = LineBatch(piece.bytes)
      if let batch = observer.batch { batch(lines) } else { lines.forEach(observer.next) }
    case .chunk, .shownChunk: piece.bytes.withUnsafeBytes { observer.send(chunk: $0) }
    case .errors: break
    }
  }

  /// The values alone.
  var withoutAsides: RecordedValues {
    var values = self
    values.pieces.removeAll { $0.kind == .errors || $0.kind == $0.kind.shown }
    return values
  }

  func write(to writer: inout ByteWriter) {
    writer.write(list: Array(pieces[first...])) { writer, piece in
      writer.write(piece.kind.rawValue)
      writer.write(piece.count)
      writer.write(piece.bytes)
    }
  }

  init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    capacity = .max
    pieces = try reader.list { reader throws(ByteReader.Malformed) in
      guard let kind = Kind(rawValue: try reader.number()) else { throw ByteReader.Malformed() }
      let count = try reader.integer()
      return Piece(kind: kind, bytes: try reader.part(), count: count)
    }
  }
}
