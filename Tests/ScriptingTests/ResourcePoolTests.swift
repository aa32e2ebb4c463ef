import Testing

@testable import Scripting

@Suite("Resources that executions share") struct ResourcePoolTests {
  @Test(
    "are amounts with units",
    arguments: [
      ("1", ResourceAmount.count(1)), ("12", .count(12)), ("6G", .size(6 << 30)),
      ("6GiB", .size(6 << 30)), ("1.5K", .size(1536)), ("2TB", .size(2 << 40)),
      ("6g", .size(6 << 30)), ("0", nil),
      ("-1", nil), ("", nil), ("G", nil), ("6 G", nil), ("infG", nil), ("1e9T", nil),
    ])
  func amounts(_ text: String, _ amount: ResourceAmount?) {
    #expect(ResourceAmount(text) == amount)
  }

  @Test("have the lowest indices that are free, and what the caller calls these")
  func indices() {
    let pool = ResourcePool(["gpu": .init(.count(3), devices: ["3", "5", "7"])])
    var grants: [ResourceGrant] = []
    for amount in [1, 2] {
      #expect(pool.take(["gpu": .count(Int64(amount))], for: "train") { grants.append($0) } == nil)
    }
    #expect(
      variables(grants[0]) == [
        "RACLETTE_GPU=0", "CUDA_VISIBLE_DEVICES=3", #"RACLETTE_USES={"gpu":1}"#,
      ])
    #expect(
      variables(grants[1]) == [
        "RACLETTE_GPU=1,2", "CUDA_VISIBLE_DEVICES=5,7", #"RACLETTE_USES={"gpu":2}"#,
      ])
    grants[0].release()
    #expect(pool.take(["gpu": .count(1)], for: "eval") { grants.append($0) } == nil)
    #expect(
      variables(grants[2]) == [
        "RACLETTE_GPU=0", "CUDA_VISIBLE_DEVICES=3", #"RACLETTE_USES={"gpu":1}"#,
      ])
    // Those inside share what the outer one has.
    let inner = grants[1].pool
    var innermost: ResourceGrant?
    #expect(inner.take(["gpu": .count(1)], for: "part") { innermost = $0 } == nil)
    #expect(
      innermost.map(variables) == [
        "RACLETTE_GPU=1", "CUDA_VISIBLE_DEVICES=5", #"RACLETTE_USES={"gpu":1}"#,
      ])
    #expect(inner.excess(of: ["gpu": .count(3)]) == "there is only gpu = 2")
  }

  @Test("do not go to those who come later and want less")
  func order() {
    let pool = ResourcePool(["gpu": .init(.count(2)), "memory": .init(.size(8))])
    var order: [String] = []
    var grants: [String: ResourceGrant] = [:]
    func take(_ name: String, _ wanted: Resources) {
      _ = pool.take(wanted, for: name) { grant in
        order.append(name)
        grants[name] = grant
      }
    }
    take("first", ["gpu": .count(1)])
    take("big", ["gpu": .count(2)])
    take("small", ["gpu": .count(1)])
    take("other", ["memory": .size(8)])
    #expect(order == ["first", "other"])
    #expect(pool.holders(of: ["gpu": .count(2)]) == "'first' has gpu = 1")
    // One is free, but not for those who came later.
    #expect(pool.holders(of: ["gpu": .count(1)]) == "'big' is waiting for gpu = 2 ahead of it")
    grants["first"]?.release()
    #expect(order == ["first", "other", "big"])
    // A promise that nobody keeps is given back.
    var big = grants.removeValue(forKey: "big")
    #expect(big != nil)
    big = nil
    #expect(order == ["first", "other", "big", "small"])
  }

  @Test("are with those who have what is missing, each command once")
  func holders() {
    let pool = ResourcePool(["gpu": .init(.count(4)), "memory": .init(.size(8))])
    var grants: [ResourceGrant] = []
    for (name, wanted) in [
      ("train", ["gpu": .count(1)]), ("train", ["gpu": .count(1)]),
      ("eval", ["gpu": .count(2), "memory": .size(1)]), ("pack", ["memory": .size(7)]),
    ] as [(String, Resources)] {
      _ = pool.take(wanted, for: name) { grants.append($0) }
    }
    #expect(grants.count == 4)
    #expect(
      pool.holders(of: ["gpu": .count(1)])
        == "'eval' has gpu = 2; 2 executions of 'train' have gpu = 1 each")
    #expect(
      pool.holders(of: ["memory": .size(1)]) == "'eval' has memory = 1B; 'pack' has memory = 7B")
    grants[3].release()
    #expect(
      pool.holders(of: ["gpu": .count(1), "memory": .size(1)])
        == "'eval' has gpu = 2; 2 executions of 'train' have gpu = 1 each")
  }

  @Test("are never promised twice, never passed by, and never left idle, in 1,000 random histories")
  func histories() {
    for seed in 0..<1_000 { History(seed: UInt64(seed)).run() }
  }

  private func variables(_ grant: ResourceGrant) -> [String] {
    grant.variables.map { "\($0.name)=\(String(decoding: $0.value ?? [], as: UTF8.self))" }
  }
}

/// A random history of one pool.
private final class History {
  private final class Wish {
    let number: Int
    let wanted: Resources
    let rank: ResourcePool.Rank
    var grant: ResourceGrant?
    var giveUp: (() -> Void)?

    init(_ number: Int, _ wanted: Resources, _ rank: ResourcePool.Rank) {
      (self.number, self.wanted, self.rank) = (number, wanted, rank)
    }

    /// True if it comes before another that wants the same.
    func precedes(_ other: Wish) -> Bool {
      (other.rank.rawValue, number) < (rank.rawValue, other.number)
        && !Set(wanted.keys).isDisjoint(with: other.wanted.keys)
    }
  }

  private static let totals: Resources = [
    "gpu": .count(4), "license": .count(1), "memory": .size(10),
  ]

  private let seed: UInt64
  private var state: UInt64
  private let pool = ResourcePool(History.totals.mapValues { ResourcePool.Stock($0) })
  private var waiting: [Wish] = []
  private var running: [Wish] = []
  private var last = 0

  init(seed: UInt64) {
    self.seed = seed
    state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
  }

  func run() {
    for _ in 0..<40 {
      switch random(5) {
      case 0, 1, 2: wish()
      case 3: if !running.isEmpty { end(running.remove(at: random(running.count))) }
      default: if !waiting.isEmpty { giveUp(waiting.remove(at: random(waiting.count))) }
      }
      check()
    }
    while let next = running.popLast() {
      end(next)
      check()
    }
    #expect(waiting.isEmpty, "seed \(seed): \(waiting.count) wait for nothing")
  }

  private func wish() {
    last += 1
    var wanted: Resources = [:]
    for (name, total) in Self.totals.sorted(by: { $0.key < $1.key }) where random(2) == 0 {
      wanted[name] = total.with(Int64(1 + random(Int(total.value))))
    }
    if wanted.isEmpty { wanted["gpu"] = .count(1) }
    let rank = ResourcePool.Rank(rawValue: random(3)) ?? .request
    let wish = Wish(last, wanted, rank)
    waiting.append(wish)
    wish.giveUp = pool.take(wanted, for: "\(last)", rank: rank) { [unowned self] grant in
      wish.grant = grant
      let passed = waiting.filter { $0.precedes(wish) }
      #expect(passed.isEmpty, "seed \(seed): \(wish.number) passes \(passed.map(\.number))")
      waiting.removeAll { $0 === wish }
      running.append(wish)
      // What has begun may want more, or end at once.
      switch random(6) {
      case 0: self.wish()
      case 1: end(running.remove(at: random(running.count)))
      default: break
      }
    }
  }

  private func end(_ wish: Wish) {
    wish.grant?.release()
    wish.grant = nil
  }

  private func giveUp(_ wish: Wish) { wish.giveUp?() }

  private func check() {
    var indices: [Int] = []
    for (name, total) in Self.totals {
      let used = running.reduce(0) { $0 + ($1.wanted[name]?.value ?? 0) }
      #expect(used <= total.value, "seed \(seed): \(name) is promised \(used) times")
    }
    for wish in running {
      guard let gpu = wish.grant?.variables.first(where: { $0.name == "RACLETTE_GPU" })?.value
      else {
        continue
      }
      let own = String(decoding: gpu, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
      #expect(Int64(own.count) == wish.wanted["gpu"]?.value)
      indices += own
    }
    #expect(Set(indices).count == indices.count, "seed \(seed): an index is promised twice")
    if running.isEmpty { #expect(waiting.isEmpty, "seed \(seed): nothing runs, and some wait") }
  }

  private func random(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }
}
