import Platform
import Testing

@testable import RunnerCore

@Suite("The form of a client's variables") struct HubEnvironmentFormTests {
  @Test func whatIsReadIsWhatWasWritten() {
    let text = "/home/user\0A=1\0B=\0C=x=y\0"
    let plain = HubEnvironment(Array(text.utf8))
    #expect(plain.folder == "/home/user")
    #expect(plain.entries.map { String(decoding: $0, as: UTF8.self) } == ["A=1", "B=", "C=x=y"])
    #expect(plain.changes == nil)
    #expect(plain.bytes == Array(text.utf8))
    let changed = HubEnvironment(Array((text + "\0A\0D=\0").utf8))
    #expect(changed.entries == plain.entries)
    #expect(changed.changes?.map(\.name) == ["A", "D"])
    #expect(changed.changes?.map(\.value) == [nil, []])
    #expect(changed.bytes == Array((text + "\0A\0D=\0").utf8))
    let unchanged = HubEnvironment(Array((text + "\0").utf8))
    #expect(unchanged.changes?.isEmpty == true)
    #expect(HubEnvironment([UInt8]()).entries.isEmpty)
    #expect(HubEnvironment([0]).folder == nil)
  }

  @Test func valuesAreAnyBytes() {
    let bytes: [UInt8] = [47, 0xFE, 0, 65, 61, 0xFF, 10, 0x80, 0]
    #expect(HubEnvironment(bytes).bytes == bytes)
  }
}
