import Digests
import Testing

@Suite("hexadecimal digits")
struct HexadecimalTests {
  @Test("stand for bytes")
  func bytes() {
    let bytes: [UInt8] = [0, 9, 10, 0x7f, 0xab, 0xff]
    #expect(bytes.hexadecimal == "00090a7fabff")
    #expect([UInt8](hexadecimal: "00090a7fabff".utf8) == bytes)
    #expect([UInt8](hexadecimal: "00090A7FABFF".utf8) == bytes)
    #expect([UInt8](hexadecimal: "".utf8) == [])
  }

  @Test(
    "are refused with anything else among them", arguments: ["0", "0g", "g0", " 00", "00 ", "é"])
  func others(text: String) {
    #expect([UInt8](hexadecimal: text.utf8) == nil)
  }
}
