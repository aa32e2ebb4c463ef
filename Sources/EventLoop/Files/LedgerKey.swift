import Platform

/// The name of a `SharedLedger` for all processes of the user, which is part of the names of its files.
package struct LedgerKey: Sendable, Equatable {
  package let text: String

  /// Reads the text of a key: small hexadecimal digits and `-`; nil for anything else.
  package init?(_ text: String) {
    let isKey = text.utf8.allSatisfy {
      (48...57).contains($0) || (97...102).contains($0) || $0 == 45
    }
    guard isKey, !text.isEmpty, text.utf8.count <= 64 else { return nil }
    self.text = text
  }

  /// The key that the first 12 bytes of a digest make.
  package init(digest: [UInt8]) {
    text = digest.prefix(12).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private init(unchecked text: String) { self.text = text }

  /// A key that no other process makes.
  package static func unique() -> LedgerKey { LedgerKey(unchecked: UniqueName.next()) }
}
