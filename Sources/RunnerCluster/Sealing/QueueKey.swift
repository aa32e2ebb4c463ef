import CCrypto
import Digests
import Journal
import Platform
import RunnerCore
import Scripting

/// The key of `--queue-key`, with which a submitter seals inputs that hold secrets, and workers open
/// them: AES-256-GCM, bound to the command. The server has only what is sealed.
package struct QueueKey: Sendable {
  private let bytes: [UInt8]
  /// The tag of sealed entries, so that only workers with this key claim them.
  let tag: String

  /// What a sealed input begins with; no input in JSON does.
  private static let prefix = "sealed:v2:"
  private static let nonceSize = 12
  private static let tagSize = 16

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var digest = SHA256()
    digest.update("raclette queue key".utf8)
    digest.update(bytes)
    tag = "sealed:" + digest.finish().prefix(4).map { $0 }.hexadecimal
  }

  /// The key in a file: 64 hexadecimal digits.
  package init(file path: String) throws(UsageError) {
    guard let content = fileContent(path) else {
      throw .input("cannot read the queue key '\(path)': \(systemErrorText(errno))")
    }
    let digits = content.drop { $0 == 32 || $0 == 10 }.prefix { $0 != 32 && $0 != 10 && $0 != 13 }
    guard digits.count == 64, let bytes = [UInt8](hexadecimal: digits) else {
      throw .input(
        "the queue key '\(path)' is not 64 hexadecimal digits; make one with: "
          + "openssl rand -hex 32 > FILE")
    }
    self.init(bytes)
  }

  /// The key of a line's `--queue-key`, if there is one.
  package init?(_ line: CommandLine) throws(UsageError) {
    guard let path = line[.queueKey] else { return nil }
    try self.init(file: path)
  }

  /// An input with the secrets in it, which who opens it must not show.
  struct Content {
    let input: String
    let secrets: [String]

    init(input: String, secrets: [String]) {
      self.input = input
      self.secrets = secrets
    }

    fileprivate init?(_ text: String) {
      guard case .list(let fields)? = JSONValue(text: text), fields.count == 2,
        case .string(let input) = fields[0], case .list(let secrets) = fields[1]
      else { return nil }
      self.input = input
      self.secrets = secrets.compactMap { if case .string(let secret) = $0 { secret } else { nil } }
    }

    fileprivate var text: String {
      JSONValue.list([.string(input), .list(secrets.map { .string($0) })]).text
    }
  }

  /// Seals the input of an entry with the secrets in it, and makes only workers with this key take it.
  func seal(_ entry: inout PlanEntry) {
    // Whoever reads the journal could try inputs against a digest without the key.
    entry.key = EntryKey("sealed", bytes.hexadecimal, entry.key.bytes.hexadecimal)
    let nonce = (0..<Self.nonceSize).map { _ in UInt8.random(in: 0...255) }
    let content = Content(input: entry.input, secrets: Secrets.found(in: entry.input))
    let (context, input) = (Array(entry.command.repaired.utf8), Array(content.text.utf8))
    var tag = [UInt8](repeating: 0, count: Self.tagSize)
    var sealed = [UInt8](repeating: 0, count: input.count)
    ccrypto_seal(
      bytes, nonce, context, context.count, input, &sealed, input.count, &tag)
    entry.input = Self.prefix + (nonce + sealed + tag).hexadecimal
  }

  static func isSealed(_ input: String) -> Bool { input.hasPrefix("sealed:") }

  /// The input that was sealed.
  ///
  /// - Returns: nil if it was sealed with another key or for another command, or is damaged.
  func open(_ input: String, of command: String) -> Content? {
    guard input.hasPrefix(Self.prefix),
      let all = [UInt8](hexadecimal: input.utf8.dropFirst(Self.prefix.utf8.count)),
      all.count >= Self.nonceSize + Self.tagSize
    else { return nil }
    let sealed = Array(all[Self.nonceSize..<(all.count - Self.tagSize)])
    let context = Array(command.utf8)
    var opened = [UInt8](repeating: 0, count: sealed.count)
    let isIntact = ccrypto_open(
      bytes, Array(all.prefix(Self.nonceSize)), context, context.count, sealed, &opened,
      sealed.count, Array(all.suffix(Self.tagSize)))
    return isIntact ? Content(String(decoding: opened, as: UTF8.self)) : nil
  }

  /// Opens the sealed inputs of recorded executions, and hides the secrets in them from now on.
  ///
  /// - Throws: `UsageError` if that needs a key, or another one.
  package static func open(
    _ executions: [RecordedExecution], _ line: CommandLine
  ) throws(UsageError) -> [RecordedExecution] {
    let key = try QueueKey(line)
    var opened = executions
    for (index, execution) in executions.enumerated() where isSealed(execution.input) {
      guard let content = key?.open(execution.input, of: execution.command) else {
        throw .input(
          "the input of #\(execution.id) is sealed: --queue-key FILE names the key with which it was "
            + "submitted")
      }
      for secret in content.secrets { Secrets.add(secret) }
      opened[index].input = content.input
    }
    return opened
  }
}
