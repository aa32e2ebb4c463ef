import Platform
import RunnerCore
import Testing

@Suite("what a killed hub has left")
struct HubInheritanceTests {
  /// Which part of the file's identity differs from the one that its record was written to.
  enum Change: CaseIterable {
    case nothing, device, path, inode, deviceAndPath
  }

  @Test("counts in its own file, and in no copy", arguments: Change.allCases)
  func copies(_ change: Change) throws {
    var template = Array("/tmp/raclette-record-XXXXXX".utf8CString)
    let descriptor = template.withUnsafeMutableBufferPointer { name in
      name.baseAddress.map { mkstemp($0) } ?? -1
    }
    let path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    defer {
      close(descriptor)
      unlink(path)
    }
    let file = try #require(HubRecordFile(at: path))
    var words = HubRecordLine.file(file).dropLast().split(separator: " ").map(String.init)
    switch change {
    case .nothing: break
    case .device: words[1] += "0"
    case .inode: words[2] += "0"
    case .path: words[3] += "0"
    case .deviceAndPath:
      words[1] += "0"
      words[3] += "0"
    }
    let held = HubInheritance.Held("db", input: nil)
    let text =
      words.joined(separator: " ") + "\n" + HubRecordLine.system + HubRecordLine.number(7)
      + HubRecordLine.hold(held)
    _ = text.withCString { write(descriptor, $0, strlen($0)) }
    let inheritance = HubInheritance(at: path)
    #expect(inheritance.lastNumber == 7)
    switch change {
    case .nothing, .device, .path: #expect(inheritance.held == [held])
    case .inode, .deviceAndPath: #expect(inheritance.held.isEmpty)
    }
  }
}
