import Digests
import Platform
import Synchronization

/// The random key by which the ids of services hide their inputs: anybody may see ids, and what is secret
/// in an input may be easy to guess.
///
/// A hub makes it, in a file for the user alone, so that services have the same ids in its clients and when
/// another hub comes. A process whose key cannot be read has one of its own: it recognises services by their
/// ids as others show them, and by their inputs as far as these are shown.
package enum ServiceIDKey {
  private static let size = 32

  private struct State {
    var path: String?
    var key = ServiceIDKey.random()
    /// True for a hub, whose key does not change. That of a client does with its hub.
    var isFixed = false
  }
  private static let state = Mutex(State())

  /// Uses the key of a place from now on, as soon as there is one.
  static func use(of place: HubPlace) {
    state.withLock { state in
      guard state.path != place.idKey else { return }
      state = State(path: place.idKey)
    }
  }

  /// Uses the key of a place, and makes one if there is none, or a damaged one. The lock of the place is
  /// held.
  ///
  /// - Throws: `HubError.folder` if it cannot be written.
  package static func make(at place: HubPlace) throws(HubError) {
    use(of: place)
    let key = state.withLock { state in
      state.isFixed = read(&state)
      return state.isFixed ? nil : state.key
    }
    guard let key else { return }
    let new = "\(place.idKey).new"
    unlink(new)
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw place.unusable(place.idKey, because: systemErrorText(errno)) }
    let count = key.withUnsafeBytes { writeBytes($0, to: file) }
    let code = count == size ? 0 : count < 0 ? errno : ENOSPC
    close(file)
    guard code == 0, rename(new, place.idKey) == 0 else {
      throw place.unusable(place.idKey, because: systemErrorText(code == 0 ? errno : code))
    }
    state.withLock { $0.isFixed = true }
  }

  /// The code of an input.
  static func code(of input: String) -> [UInt8] {
    let key = state.withLock { state in
      if !state.isFixed { _ = read(&state) }
      return state.key
    }
    return SHA256.authenticationCode(of: Array(input.utf8), key: key)
  }

  /// - Returns: false if there is no key, or a damaged one.
  private static func read(_ state: inout State) -> Bool {
    guard let path = state.path, let key = fileContent(path), key.count == size else {
      return false
    }
    state.key = key
    return true
  }

  private static func random() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<size).map { _ in .random(in: .min ... .max, using: &generator) }
  }
}
