import Platform
import Testing

@testable import EventLoop

@Suite("entries that processes read together", .timeLimit(.minutes(1)))
struct SharedLedgerTests {
  private let key = LedgerKey.unique()

  private func newLedger(on loop: EventLoop, in folder: String) -> SharedLedger {
    SharedLedger(key, on: loop, in: UserFolder(folder)) { text, _ in
      Issue.record("'\(text)' had left processes")
    }
  }

  @Test("are made again by those who have them when their folder was removed")
  func removedFolder() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    let (lost, restored, order) = try await withLoop { loop in
      let ledgers = (0...1).map { _ in newLedger(on: loop, in: folder) }
      var held: LedgerEntry?
      var waiting: LedgerEntry?
      var order: [String] = []
      _ = ledgers[0].enter("wish") { _, _ in
        "held"
      } _: {
        held = try? $0.get()
      }
      _ = ledgers[1].enter("wish") { before, _ in
        before.isEmpty ? "granted" : nil
      } _: {
        order.append("granted")
        waiting = try? $0.get()
      }
      removeFolder(folder)
      let lost = ledgers[1].textsOfOthers
      // The one that waits makes its file again when it looks, and keeps the loop running.
      while ledgers[0].textsOfOthers != ["wish"] || ledgers[1].textsOfOthers.isEmpty {
        loop.runOnce()
      }
      let restored = ledgers[1].textsOfOthers
      order.append("released")
      held?.remove()
      while waiting == nil { loop.runOnce() }
      waiting?.remove()
      return (lost, restored, order)
    }
    #expect(lost == [])
    #expect(restored == ["held"])
    #expect(order == ["released", "granted"])
  }

  @Test("are there as long as their processes have them")
  func existence() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    let key = key
    let found = try await withLoop { loop in
      let ledger = newLedger(on: loop, in: folder)
      var held: LedgerEntry?
      _ = ledger.enter("wish") { _, _ in
        "held"
      } _: {
        held = try? $0.get()
      }
      let name = held?.name ?? ""
      let isThere = { (name: String, key: LedgerKey) in
        SharedLedger.hasEntry(name, of: key, in: UserFolder(folder))
      }
      let found = [
        isThere(name, key), isThere(name, .unique()),
        isThere("ledger-\(key.text)-/../\(name)", key),
      ]
      held?.remove()
      return found + [isThere(name, key)]
    }
    #expect(found == [true, false, false, false])
  }

  @Test("need no descriptor while they are waited for")
  func descriptors() async throws {
    let folder = try #require(newFolder())
    defer { removeFolder(folder) }
    let open = try await withLoop { loop in
      let ledgers = (0...1).map { _ in newLedger(on: loop, in: folder) }
      var held: LedgerEntry?
      _ = ledgers[0].enter("wish") { _, _ in
        "held"
      } _: {
        held = try? $0.get()
      }
      let end = ledgers[1].enter("wish") { before, _ in
        before.isEmpty ? "granted" : nil
      } _: {
        _ in
      }
      loop.runOnce()
      let open = (names(inFolder: "/proc/self/fd") ?? []).filter {
        Self.target($0).hasPrefix(folder)
      }
      end?()
      held?.remove()
      return open
    }
    // Those of the two entries themselves.
    #expect(open.count == 2)
  }

  private static func target(_ descriptor: String) -> String {
    resolvedPath("/proc/self/fd/\(descriptor)") ?? ""
  }

  @Test("are unknown, not missing, where the folder cannot be read")
  func unreadable() throws {
    #expect(try names(inFolder: "/no such folder", withPrefix: "ledger-") == [])
    #expect { try names(inFolder: "/dev/null", withPrefix: "ledger-") } throws: {
      ($0 as? LockFileError)?.code == ENOTDIR
    }
  }
}
