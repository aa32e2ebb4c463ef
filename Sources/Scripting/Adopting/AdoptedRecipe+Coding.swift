extension AdoptedRecipe {
  init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    name = try reader.text()
    words = try reader.texts()
    summary = try reader.optionalText()
    details = try reader.optionalText()
    group = try reader.optionalText()
    isPrivate = try reader.bool()
    aliases = try reader.texts()
    parameters = try reader.list(AdoptedParameter.init(from:))
    separator = try reader.optionalText()
    takesVariables = try reader.bool()
    isInteractive = try reader.bool()
    question = try reader.optionalText()
    line = try reader.optional { reader throws(ByteReader.Malformed) in try reader.integer() }
    file = try reader.optionalText()
  }

  func write(to writer: inout ByteWriter) {
    writer.write(name)
    writer.write(list: words) { $0.write($1) }
    writer.write(optional: summary)
    writer.write(optional: details)
    writer.write(optional: group)
    writer.write(isPrivate)
    writer.write(list: aliases) { $0.write($1) }
    writer.write(list: parameters) { $1.write(to: &$0) }
    writer.write(optional: separator)
    writer.write(takesVariables)
    writer.write(isInteractive)
    writer.write(optional: question)
    writer.write(optional: line) { $0.write($1) }
    writer.write(optional: file)
  }
}

extension AdoptedParameter {
  fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    name = try reader.text()
    switch try reader.integer() {
    case 0: form = .word
    case 1: form = .option(try reader.text())
    case 2: form = .flag(try reader.text())
    case 3: form = .variable
    case 4: form = .rest
    default: throw ByteReader.Malformed()
    }
    isRequired = try reader.bool()
    defaultText = try reader.optionalText()
    choices = try reader.texts()
    help = try reader.optionalText()
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.write(name)
    switch form {
    case .word: writer.write(0)
    case .option(let option):
      writer.write(1)
      writer.write(option)
    case .flag(let flag):
      writer.write(2)
      writer.write(flag)
    case .variable: writer.write(3)
    case .rest: writer.write(4)
    }
    writer.write(isRequired)
    writer.write(optional: defaultText)
    writer.write(list: choices) { $0.write($1) }
    writer.write(optional: help)
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ bool: Bool) { write(bool ? 1 : 0) }

  mutating func write<Value>(optional value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
    write(value == nil ? 0 : 1)
    if let value { body(&self, value) }
  }

  mutating func write(optional text: String?) { write(optional: text) { $0.write($1) } }
}

extension ByteReader {
  fileprivate mutating func bool() throws(Malformed) -> Bool { try integer() != 0 }

  fileprivate mutating func texts() throws(Malformed) -> [String] {
    try list { reader throws(Malformed) in try reader.text() }
  }

  mutating func optional<Value>(
    _ body: (inout ByteReader) throws(Malformed) -> Value
  ) throws(Malformed) -> Value? {
    try integer() == 0 ? nil : try body(&self)
  }

  mutating func optionalText() throws(Malformed) -> String? {
    try optional { reader throws(Malformed) in try reader.text() }
  }
}
