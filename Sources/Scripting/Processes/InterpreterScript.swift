import LuaRuntime
import Platform

/// A text that begins with `#!`: a script for the program that its first line names.
struct InterpreterScript: Sendable {
  /// The text, without what all its lines are indented by.
  let text: [UInt8]
  /// The program and, as the system reads such lines, the rest of the line as its one argument.
  let interpreter: [[UInt8]]
  /// The `file:line` of the call that gives the text.
  var place: String?

  /// Returns nil for a text that is no such script. Blank lines before the first line do not count, nor
  /// does its indentation, which is taken from the other lines as well.
  init?(_ text: [UInt8]) {
    let bytes = text.drop { Self.isBlank($0) || $0 == 10 }
    guard bytes.starts(with: Array("#!".utf8)) else { return nil }
    let before = text[..<bytes.startIndex]
    let indentation = before[(before.lastIndex(of: 10).map { $0 + 1 } ?? 0)...]
    self.text = Self.text(bytes, without: indentation)
    let line = bytes.dropFirst(2).prefix { $0 != 10 }.drop(while: Self.isBlank)
    let program = line.prefix { !Self.isBlank($0) }
    var argument = line[program.endIndex...].drop(while: Self.isBlank)
    while let last = argument.last, Self.isBlank(last) { argument.removeLast() }
    interpreter = [program, argument].filter { !$0.isEmpty }.map { Array($0) }
  }

  private static func text(_ bytes: ArraySlice<UInt8>, without indentation: ArraySlice<UInt8>) -> [UInt8] {
    guard !indentation.isEmpty else { return Array(bytes) }
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map { line in
      Array(line.starts(with: indentation) ? line.dropFirst(indentation.count) : line)
    }
    if lines.last?.allSatisfy(Self.isBlank) == true { lines[lines.count - 1] = [] }
    return Array(lines.joined(separator: [10]))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

  /// The subject of messages.
  var subject: String { place.map { "the script at \($0)" } ?? "the script" }
}

/// The file of a script while its process runs, in a folder that only its user may enter. Confined to
/// the loop's thread.
final class ScriptFile {
  /// The path, whose last part is the name of what the script belongs to.
  let path: [UInt8]
  private let folder: [UInt8]

  /// - Throws: `Failure` of kind `spawn` if it cannot be written.
  init(_ script: InterpreterScript, named name: String) throws(Failure) {
    let parent = environmentVariable("TMPDIR") ?? "/tmp"
    var template = parent.exactBytes + Array("/raclette-XXXXXX".utf8) + [0]
    let isMade = template.withUnsafeMutableBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { mkdtemp($0.baseAddress.unsafelyUnwrapped) != nil }
    }
    guard isMade else {
      let reason = systemErrorText(errno)
      throw Failure(.spawn, "\(script.subject) needs a file in '\(parent)': \(reason)")
    }
    folder = Array(template.dropLast())
    let slash = UInt8(ascii: "/")
    let file = name.exactBytes.map { $0 == slash ? UInt8(ascii: "_") : $0 }
    path = folder + [slash] + (file.first == UInt8(ascii: ".") ? [UInt8(ascii: "_")] : []) + file
    guard Self.write(script.text, to: path) else {
      let reason = systemErrorText(errno)
      remove()
      throw Failure(
        .spawn, "\(script.subject) cannot be written to '\(String(exactly: path))': \(reason)")
    }
  }

  deinit { remove() }

  private static func write(_ text: [UInt8], to path: [UInt8]) -> Bool {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    let file = withCPath(path) { open($0, flags, 0o600) }
    guard file >= 0 else { return false }
    defer { close(file) }
    var rest = text[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Platform.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Removes it. A further call does nothing.
  func remove() {
    _ = withCPath(path) { unlink($0) }
    _ = withCPath(folder) { rmdir($0) }
  }
}

private func withCPath<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
  (path + [0]).withUnsafeBufferPointer { bytes in
    bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress.unsafelyUnwrapped) }
  }
}
