import Platform
import Testing

@testable import Scripting

/// Files of variables of every form that a shell reads too, read by bash.
@Suite("A file of variables and bash", .timeLimit(.minutes(10)))
struct EnvironmentFileShellTests {
  private static let files = LongRun.isOn ? 20_000 : 300

  @Test("give each variable the same value", arguments: [1, 2, 3])
  func sameValues(seed: UInt64) throws {
    var writer = VariableFileWriter(seed: seed)
    let texts = (0..<Self.files).map { _ in writer.file() }
    let readings = try Self.readByBash(texts)
    try #require(readings.count == texts.count)
    for (text, expected) in zip(texts, readings) {
      let read = Self.read(text)
      #expect(read == expected, "\(text.debugDescription)")
      if read != expected { return }
    }
  }

  /// The value of each variable, or the problem.
  private static func read(_ text: String) -> [String] {
    var values: [String: [UInt8]] = [:]
    var parser = EnvironmentFileParser(ContiguousArray(text.utf8), path: ".env")
    do throws(Failure) {
      while let (name, value) = try parser.next({ values[$0] }) { values[name] = value }
    } catch { return [error.message] }
    return VariableFileWriter.names.map { String(decoding: values[$0] ?? [], as: UTF8.self) }
  }

  private static func readByBash(_ texts: [String]) throws -> [[String]] {
    var template = Array("/tmp/raclette-variables-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    let names = texts.indices.map { "\(folder)/\($0)" }
    defer {
      names.forEach { unlink($0) }
      rmdir(folder)
    }
    for (name, text) in zip(names, texts) {
      let file = try #require(fopen(name, "we"))
      fputs(text, file)
      fclose(file)
    }
    let values = VariableFileWriter.names.map { "\"$\($0)\"" }.joined(separator: " ")
    let line =
      "exec env -i bash -c 'i=0; while [ $i -lt $2 ]; do (. \"$1/$i\"; printf \"%s\\0\" \(values)); i=$((i+1)); done' bash \(folder) \(texts.count)"
    let pipe = try #require(popen(line, "re"))
    var bytes: [UInt8] = []
    while case let byte = fgetc(pipe), byte != EOF { bytes.append(UInt8(byte)) }
    #expect(pclose(pipe) == 0)
    let all = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
    let count = VariableFileWriter.names.count
    return stride(from: 0, to: all.count, by: count).map { Array(all[$0..<($0 + count)]) }
  }
}

/// Writes files whose lines have a meaning for both.
private struct VariableFileWriter {
  static let names = (0..<6).map { "V\($0)" }

  /// The state of a linear congruential generator: the same files in every run.
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  private mutating func one<Element>(of elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  private mutating func parts(_ part: (inout Self) -> String) -> String {
    (0..<below(7)).reduce(into: "") { text, _ in text += part(&self) }
  }

  mutating func file() -> String {
    var text = ""
    for (index, name) in Self.names.enumerated() {
      text += one(of: ["", "", "\n", "# V0=no\n", "  ", "\t# x\n"])
      text += one(of: ["", "", "export "]) + name + "=" + value(before: index)
      text += one(of: ["", "", " ", "\t ", " # V1=no", "  #"]) + "\n"
    }
    return text
  }

  private mutating func value(before index: Int) -> String {
    switch below(4) {
    case 0:
      let text = parts { $0.one(of: Self.plain + [" ", "#", "\n", "\\", "\"", "$V0", "`", "${"]) }
      return "'\(text)'"
    case 1: return "\"" + parts { $0.quoted(before: index) } + "\""
    default: return parts { $0.unquoted(before: index) }
    }
  }

  private static let plain = ["a", "b", "é", "-", "/", ".", ",", "%", "@", "+", "="]

  private mutating func unquoted(before index: Int) -> String {
    switch below(8) {
    case 0: "\\" + one(of: ["n", "$", "\\", " ", "#", "'", "\"", "t", "a", "\n", "}"])
    case 1: "#"
    case 2: reference(before: index) { "\\" + $0.one(of: ["n", "}", "$", "\\", "x"]) }
    default: one(of: Self.plain)
    }
  }

  private mutating func quoted(before index: Int) -> String {
    switch below(8) {
    case 0: "\\" + one(of: ["\"", "\\", "$", "`", "a", "#", " ", "\n"])
    case 1: one(of: [" ", "#", "'", "\n", "\t", " #"])
    case 2: reference(before: index) { "\\" + $0.one(of: ["$", "\\", "\"", "x"]) }
    default: one(of: Self.plain)
    }
  }

  /// A reference to an earlier variable, or with a text in its place.
  private mutating func reference(
    before index: Int, _ escape: (inout Self) -> String
  ) -> String {
    if index > 0, below(2) == 0 {
      let name = Self.names[below(index)]
      return one(of: ["$\(name)-", "${\(name)}"])
    }
    let name = below(2) == 0 ? "NO" : Self.names[below(index + 1)]
    return "${\(name):-" + one(of: ["", "a", "x-y", "a/b"]) + (below(3) == 0 ? escape(&self) : "")
      + "}"
  }
}
