import LuaRuntime
import Platform
import Scripting

/// The values of an execution, with chunks split so that no secret is split. On the loop's thread.
final class ChunkPieces {
  private let send: (SentValues) -> Void
  private var pieces = SecretPieces()

  init(_ send: @escaping (SentValues) -> Void) { self.send = send }

  func add(_ values: SentValues) {
    if case .batch(let chunk as ByteChunk) = values, !Secrets.isEmpty {
      return chunk.text.withUnsafeBytes { pieces.add($0) { send(.batch(.chunk($0))) } }
    }
    finish()
    send(values)
  }

  func finish() { pieces.finish { send(.batch(.chunk($0))) } }
}
