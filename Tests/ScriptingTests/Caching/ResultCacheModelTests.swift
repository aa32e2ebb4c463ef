import Digests
import Platform
import Testing

@testable import Scripting

/// Random histories of two checkouts that share a store, against a model that knows what each state of
/// the source makes, and which results must be there.
@Suite(
  "the cache of results against a model", .timeLimit(.minutes(LongRun.isOn ? 120 : 5)))
struct ResultCacheModelTests {
  /// What the command makes of each state of its source: names with any bytes, modes, links, empty
  /// folders, holes, and paths that are another kind of thing in another state.
  static let trees: [[String: Tree]] = [
    ["out": .folder(mode: 0o755), "out/a": .file(Array("one".utf8), mode: 0o644)],
    [
      "out": .folder(mode: 0o750), "out/a": .folder(mode: 0o700),
      "out/a/b": .file(Array("two".utf8), mode: 0o755), "out/empty": .folder(mode: 0o755),
    ],
    [
      "out": .folder(mode: 0o755), "out/a": .link("b"), "out/b": .file([], mode: 0o444),
      "out/dangling": .link("nothing/here"),
    ],
    [
      "out": .folder(mode: 0o755),
      "out/\(String(exactly: [0xff, 0x0a, 0x20, 0x41]))": .file(Array("one".utf8), mode: 0o600),
      "out/holes": .file(
        Array("x".utf8) + [UInt8](repeating: 0, count: 600_000) + Array("y".utf8), mode: 0o644),
    ],
    [
      "out": .folder(mode: 0o755), "out/a": .file(Array("one".utf8), mode: 0o755),
      "out/deep": .folder(mode: 0o755), "out/deep/er": .folder(mode: 0o755),
      "out/deep/er/a": .file(Array("two".utf8), mode: 0o644),
    ],
    ["out": .folder(mode: 0o755), "out/deep": .file(Array("no folder".utf8), mode: 0o644)],
  ]

  static let histories = LongRun.isOn ? 100_000 : 1_000
  /// The only history to run, as a failure names it: `RACLETTE_SEED` in the environment.
  static let seed = getenv("RACLETTE_SEED").flatMap { UInt64(String(cString: $0)) }

  @Test("no false hit, no lost output, and no miss without a cause", arguments: 0..<4)
  func histories(part: Int) throws {
    let folder = TemporaryFolder()
    for number in 0..<Self.histories / 4 {
      let seed = UInt64(part * 1_000_000 + number)
      guard Self.seed.map({ $0 == seed }) != false else { continue }
      var history = try History(seed: seed, in: "\(folder.path)/\(number)")
      try history.run(steps: 12)
      removeFolder("\(folder.path)/\(number)")
    }
  }
}

private struct History {
  private var random: Noise
  private let seed: UInt64
  private let cache: ResultCache
  private let checkouts: [Checkout]
  private var states = [0, 0]
  /// The state that was built last, and what was there afterwards.
  private var built: [Int?] = [nil, nil]
  private var left: [[String: Tree]] = [[:], [:]]
  /// True if somebody has written into the outputs.
  private var isEdited = [false, false]
  /// The states whose results must be in the store.
  private var known: Set<Int> = []
  /// True once bytes of the store may be others, which is found only when they are restored.
  private var isDamaged = false

  init(seed: UInt64, in folder: String) throws {
    self.seed = seed
    random = Noise(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
    mkdir(folder, 0o755)
    let cache = ResultCache(folder: "\(folder)/store", bound: .max)
    self.cache = cache
    checkouts = ["one", "two"].map { Checkout("\(folder)/\($0)", cache) }
    for checkout in checkouts { checkout.source = "0" }
  }

  mutating func run(steps: Int) throws {
    for step in 0..<steps {
      let index = Int.random(in: 0...1, using: &random)
      let checkout = checkouts[index]
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<5:
        states[index] = Int.random(in: ResultCacheModelTests.trees.indices, using: &random)
        checkout.source = "\(states[index])"
      case 5:
        removeFolder("\(checkout.folder)/out")
      case 6:
        if let path = files(of: checkout).randomElement(using: &random) {
          Checkout.write(Array("edited".utf8), to: "\(checkout.folder)/\(path)")
          isEdited[index] = true
        }
      case 7:
        try cache.remove(downTo: Int.random(in: 0...200_000, using: &random))
        known = []
      case 8: corrupt()
      case 9: leaveHalf()
      default: try build(index, step)
      }
    }
    for index in checkouts.indices { try build(index, steps) }
  }

  private mutating func build(_ index: Int, _ step: Int) throws {
    let state = states[index]
    let tree = ResultCacheModelTests.trees[state]
    let answer = try checkouts[index].build(tree)
    let place: Comment = "history \(seed), step \(step), state \(state), \(answer)"
    let now = made(index)
    switch answer {
    case .upToDate: #expect(built[index] == state && now == left[index], place)
    case .restored:
      // What somebody has written stays, where the result has nothing.
      #expect(tree.allSatisfy { now[$0.key] == $0.value }, place)
      #expect(isEdited[index] || now == tree, place)
    case .executed:
      #expect(now == tree, place)
      #expect(!known.contains(state) || isEdited[index], place)
    }
    // A restoration takes from the store only what is not in the checkout.
    if answer == .executed || answer == .restored && isStored(tree), !isDamaged {
      known.insert(state)
    }
    (built[index], left[index], isEdited[index]) = (state, now, now != tree)
  }

  private func made(_ index: Int) -> [String: Tree] {
    Tree.all(in: checkouts[index].folder).filter {
      $0.key != "source" && !$0.key.hasPrefix(".raclette")
    }
  }

  private func isStored(_ tree: [String: Tree]) -> Bool {
    tree.values.allSatisfy { item in
      guard case .file(let bytes, _) = item else { return true }
      return cache.has(CachedResult.Blob(digest: SHA256.digest(of: bytes), size: bytes.count))
    }
  }

  private func files(of checkout: Checkout) -> [String] {
    Tree.all(in: checkout.folder).filter { item in
      if case .file = item.value { item.key != "source" } else { false }
    }.keys.sorted()
  }

  private func stored() -> [String] {
    let all = Tree.all(in: cache.folder)
    return all.filter { item in
      if case .file = item.value {
        item.key.hasPrefix("ac/") || item.key.hasPrefix("cas/")
      } else {
        false
      }
    }.keys.sorted().map { "\(cache.folder)/\($0)" }
  }

  /// Something changes bytes of the store, or takes them away.
  private mutating func corrupt() {
    guard let path = stored().randomElement(using: &random) else { return }
    var bytes = fileContent(path) ?? []
    switch Int.random(in: 0..<3, using: &random) {
    case 0 where !bytes.isEmpty:
      bytes[bytes.count / 2] ^= 1
      isDamaged = true
    case 1: bytes = Array(bytes.dropLast())
    default: return known = unlink(path) == 0 ? [] : known
    }
    Checkout.write(bytes, to: path)
    known = []
  }

  /// A runner is killed while it stores.
  private func leaveHalf() {
    guard mkdir("\(cache.folder)/tmp/1-abc", 0o700) == 0 else { return }
    Checkout.write(Array("half".utf8), to: "\(cache.folder)/tmp/1-abc/1")
  }
}
