/// What is kept of an execution that has succeeded: all that counts for the question whether another
/// one would do the same.
struct StoredExecution: Sendable {
  /// A part of the definition: its name in messages, and the digest of what it is.
  struct Part: Sendable, Equatable {
    var name: String
    var digest: [UInt8]
  }

  var definition: [Part] = []
  /// What `fingerprint` returned, as JSON.
  var fingerprint: String?
  var sources: [FileRecord] = []
  /// What depfiles have named beside the sources.
  var dependencies: [FileRecord] = []
  var outputs: [FileRecord] = []
  var values = RecordedValues()

  private static let version = 1

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.write(list: definition) { writer, part in
      writer.write(part.name)
      writer.write(part.digest)
    }
    writer.write(list: fingerprint.map { [$0] } ?? []) { $0.write($1) }
    for files in [sources, dependencies, outputs] {
      writer.write(list: files) { $1.write(to: &$0) }
    }
    values.write(to: &writer)
    return writer.bytes
  }

  init() {}

  /// - Throws: if the bytes are not those of a stored execution, or of another version.
  init(_ bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    guard try reader.integer() == Self.version else { throw ByteReader.Malformed() }
    definition = try reader.list { reader throws(ByteReader.Malformed) in
      Part(name: try reader.text(), digest: try reader.part())
    }
    fingerprint = try reader.list { reader throws(ByteReader.Malformed) in
      try reader.text()
    }.first
    let files = { (reader: inout ByteReader) throws(ByteReader.Malformed) in
      try reader.list { reader throws(ByteReader.Malformed) in try FileRecord(from: &reader) }
    }
    sources = try files(&reader)
    dependencies = try files(&reader)
    outputs = try files(&reader)
    values = try RecordedValues(from: &reader)
    guard reader.isAtEnd else { throw ByteReader.Malformed() }
  }
}

extension StoredExecution {
  /// What is kept of an execution of which only that is known which it, and those before it, have made.
  init(made: [FileRecord]) { outputs = made }

  /// The same, with a mark at the outputs that executions of the command have made.
  func withMade(in root: String?, _ isMade: (CachePath) -> Bool) -> StoredExecution {
    var execution = self
    for index in execution.outputs.indices {
      execution.outputs[index].isMade =
        CachePath(execution.outputs[index].path, in: root).map(isMade) == true
    }
    return execution
  }
}
