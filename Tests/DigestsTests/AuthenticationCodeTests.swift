import Digests
import Testing

@Suite("HMAC-SHA-256") struct AuthenticationCodeTests {
  @Test(
    "has the values of RFC 4231",
    arguments: [
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xaa, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func values(key: [UInt8], message: String, code: String) {
    #expect(
      SHA256.authenticationCode(of: Array(message.utf8), key: key).hexadecimal == code)
  }
}
