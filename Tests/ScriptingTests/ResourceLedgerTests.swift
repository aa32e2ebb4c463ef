import EventLoop
import Platform
import Testing

@testable import Scripting

@Suite("Resources that processes share", .timeLimit(.minutes(1))) struct ResourceLedgerTests {
  @Test("are promised once, in the order in which they were wanted")
  func order() throws {
    let shared = try SharedPools([
      "gpu": .init(.count(2), devices: ["5", "7"]), "license": .init(.count(1)),
    ])
    let (loop, pools) = (shared.loop, shared.pools)
    var order: [String] = []
    var grants: [String: ResourceGrant] = [:]
    func take(_ name: String, _ wanted: Resources, from pool: Int) -> (() -> Void)? {
      pools[pool].take(wanted, for: name) { grant in
        let devices = grant.stocks["gpu"].map { $0.devices.joined(separator: ",") } ?? ""
        order.append(name + devices)
        grants[name] = grant
      }
    }
    #expect(take("a", ["gpu": .count(1)], from: 1) == nil)
    #expect(take("b", ["gpu": .count(1)], from: 1) == nil)
    let abandoned = try #require(take("abandoned", ["gpu": .count(2)], from: 0))
    #expect(take("big", ["gpu": .count(2)], from: 0) != nil)
    #expect(take("small", ["gpu": .count(1)], from: 1) != nil)
    // What others want does not matter.
    #expect(take("other", ["license": .count(1)], from: 1) == nil)
    abandoned()
    grants["b"]?.release()
    loop.timer(after: .milliseconds(1)) { grants["a"]?.release() }
    while grants["big"] == nil { loop.runOnce() }
    #expect(order == ["a5", "b7", "other", "big5,7"])
    grants["big"]?.release()
    while grants["small"] == nil { loop.runOnce() }
    #expect(order.last == "small5")
    grants["small"]?.release()
    grants["other"]?.release()
    shared.finish()
  }

  @Test("are promised to those at work before those who only have a request")
  func rank() throws {
    let shared = try SharedPools(["gpu": .init(.count(1))])
    let (loop, pools) = (shared.loop, shared.pools)
    var order: [String] = []
    var held: ResourceGrant?
    #expect(pools[0].take(["gpu": .count(1)], for: "held") { held = $0 } == nil)
    for name in ["request", "second", "third"] {
      _ = pools[1].take(["gpu": .count(1)], for: name) { _ in order.append(name) }
    }
    for name in ["work", "later work"] {
      _ = pools[1].take(["gpu": .count(1)], for: name, rank: .execution) { _ in order.append(name) }
    }
    held?.release()
    while order.count < 5 { loop.runOnce() }
    #expect(order == ["work", "later work", "request", "second", "third"])
    shared.finish()
  }

  @Test("are counted by the devices that each process sees")
  func devices() throws {
    let shared = try SharedPools(offers: [
      ["gpu": .init(.count(2), devices: ["4", "5"])], ["gpu": .init(.count(3))],
    ])
    let pools = shared.pools
    var grants: [ResourceGrant] = []
    func take(_ count: Int64, from pool: Int) -> (() -> Void)? {
      pools[pool].take(["gpu": .count(count)], for: "train") { grants.append($0) }
    }
    // Those of the other have the names 0 to 2.
    #expect(take(3, from: 1) == nil)
    #expect(take(2, from: 0) == nil)
    #expect(pools[0].holders(of: ["gpu": .count(1)]) == "'train' has gpu = 2")
    grants.forEach { $0.release() }
    shared.finish()
    let overlapping = try SharedPools(offers: [
      ["gpu": .init(.count(2), devices: ["2", "1"])], ["gpu": .init(.count(2))],
    ])
    grants = []
    #expect(overlapping.pools[1].take(["gpu": .count(2)], for: "all") { grants.append($0) } == nil)
    #expect(
      overlapping.pools[0].take(["gpu": .count(1)], for: "train") { grants.append($0) } == nil)
    #expect(grants.last?.stocks["gpu"]?.devices == ["2"])
    #expect(
      overlapping.pools[0].take(["gpu": .count(1)], for: "eval") { grants.append($0) } != nil)
    grants[0].release()
    while grants.count < 3 { overlapping.loop.runOnce() }
    #expect(grants.last?.stocks["gpu"]?.devices == ["1"])
    grants.forEach { $0.release() }
    overlapping.finish()
  }

  @Test("are promised without the others, which is reported, where no file can be made")
  func unusable() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var failures: [String] = []
    let surroundings = ResourceLedger.Surroundings(
      loop: loop, idle: IdleHoldings(), onFailure: { failures.append($0) },
      onLeftEnded: { Issue.record("\($0)") },
      folder: UserFolder("/proc/raclette"))
    let pool = ResourcePool(
      ["gpu": .init(.count(2))], sharedBy: ResourceLedger(.unique(), surroundings))
    var grants: [ResourceGrant] = []
    for _ in 0..<2 {
      #expect(pool.take(["gpu": .count(1)], for: "train") { grants.append($0) } == nil)
    }
    #expect(grants.compactMap { $0.stocks["gpu"]?.indices } == [[0], [1]])
    let reason = "cannot lock files in /proc/raclette: no such file or directory"
    #expect(failures == [reason, reason])
  }

  /// Two pools that share a ledger, as those of two processes do.
  private final class SharedPools {
    let loop: EventLoop
    let pools: [ResourcePool]
    private let folder: String

    /// - Parameter offers: what each of them has.
    convenience init(_ stocks: [String: ResourcePool.Stock]) throws {
      try self.init(offers: [stocks, stocks])
    }

    init(offers: [[String: ResourcePool.Stock]]) throws {
      var template = Array("/tmp/raclette-ledger-XXXXXX".utf8CString)
      let folder = try #require(
        template.withUnsafeMutableBufferPointer { name in
          name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        })
      let loop = try EventLoop()
      self.folder = folder
      self.loop = loop
      let key = LedgerKey.unique()
      pools = offers.map { stocks in
        let surroundings = ResourceLedger.Surroundings(
          loop: loop, idle: IdleHoldings(), onFailure: { Issue.record("\($0)") },
          onLeftEnded: { Issue.record("\($0)") },
          folder: UserFolder(folder))
        return ResourcePool(stocks, sharedBy: ResourceLedger(key, surroundings))
      }
    }

    /// Closes the loop once everything was given back.
    func finish() {
      loop.close()
      #expect(rmdir(folder) == 0, "an entry is left")
    }
  }
}
