import Platform
import Testing

/// Random graphs of needs, policies, conditions, limits, resources, services and nested builds. Each ends,
/// with all that was asked for: whatever waits, nothing waits for ever.
@Suite("random graphs of commands", .timeLimit(.minutes(30)))
struct ExecutionGraphTests {
  private static let count = getenv("RACLETTE_LONG") == nil ? 40 : 1_000

  @Test("end with all entries completed", arguments: 0..<4)
  func graphs(part: Int) async {
    for seed in stride(from: part, to: Self.count, by: 4) {
      let graph = ExecutionGraph(seed: UInt64(seed))
      let folder = HubFolder(commands: graph.commands)
      folder.folder.write(graph.makefile, to: "leaves.mk")
      folder.folder.write(graph.plan, to: "plan.jsonl")
      folder.folder.write(ExecutionGraph.leaf, to: "leaf")
      folder.folder.write("both: a b\na b:\n\t+@raclette batch -q plan.jsonl\n", to: "both.mk")
      let run = await shell(
        "export XDG_RUNTIME_DIR=\(folder.runtime.path); exec timeout 600 \(graph.line)",
        in: folder.folder)
      #expect(run.status == 0 && run.errors == "" && run.output == "", "seed \(seed): \(run)")
      let missing = (0..<graph.count).filter { !Folder.isThere(folder.folder["done\($0)"]) }
      #expect(missing == [], "seed \(seed)")
    }
  }
}

/// A command file, a plan of its commands, and the line that executes it.
private struct ExecutionGraph {
  /// Makes the file of its first argument, and fails if something named by the others is used already.
  static let leaf = """
    file=$1
    shift
    used=$(echo "$@" | tr , ' ')
    for name in $used; do mkdir "used-$name" || exit 9; done
    touch "$file"
    [ -z "$used" ] || sleep 0.01
    for name in $used; do rmdir "used-$name"; done

    """

  private(set) var commands = "rac.defaults{resources = {gpu = 2, license = 1}}\n"
  private(set) var makefile = ""
  private(set) var plan = ""
  private(set) var line = ""
  /// The number of commands, each of which makes the file `doneN`.
  let count: Int
  /// True if two processes execute the plan, each of which has the resources for itself.
  private let isTwice: Bool
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    // A function fails with a command that is not enabled: a graph has either.
    let hasConditions = seed % 2 == 1
    count = Int.random(in: 4...10, using: &random)
    isTwice = Double.random(in: 0..<1, using: &random) < 0.3
    let services = Int.random(in: 0...2, using: &random)
    for service in 0..<services {
      commands += """
        rac.command{name = "s\(service)", service = true, ready = {path = "up\(service)"},
          run = "touch up\(service); exec sleep 1000"}

        """
    }
    for number in 0..<count { add(number, services, hasConditions) }
    var entries = Array(0..<count)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      entries.append(.random(in: 0..<count, using: &random))
    }
    entries.shuffle(using: &random)
    plan = entries.map { "{\"command\": \"c\($0)\"}\n" }.joined()
    let jobs = Int.random(in: 1...4, using: &random)
    line =
      isTwice ? "make -s -j\(jobs + 1) -f both.mk" : "raclette batch -q -j\(jobs) plan.jsonl"
  }

  private mutating func happens(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < probability
  }

  private mutating func one(of texts: String...) -> String {
    texts.randomElement(using: &random) ?? ""
  }

  private mutating func add(_ number: Int, _ services: Int, _ hasConditions: Bool) {
    var fields = ["name = 'c\(number)'"]
    var used: [String] = []
    let isAcross = happens(0.2)
    if isAcross { fields.append("across = 'machine'") }
    fields.append("when_busy = '\(isAcross ? "queue" : one(of: "queue", "join"))'")
    var needs = (0..<number).filter { _ in happens(0.3) }.map { "'c\($0)'" }
    needs += (0..<services).filter { _ in happens(0.2) }.map { "'s\($0)'" }
    needs.shuffle(using: &random)
    if !needs.isEmpty {
      if happens(0.3) { needs.append("in_order = true") }
      fields.append("needs = {\(needs.joined(separator: ", "))}")
    }
    if happens(0.7) {
      let limit = one(of: "1", "2", "'unlimited'")
      fields.append("concurrency = \(limit)")
      if isAcross, limit == "1" { used.append("c\(number)") }
    }
    if number > 0, !hasConditions, happens(0.15) {
      let other = Int.random(in: 0..<number, using: &random)
      fields.append(
        "run = function() rac.commands.c\(other):execute():wait() "
          + "rac.sh('touch done\(number)'):wait() end")
    } else {
      if happens(0.4) {
        let amounts = one(of: "gpu = 1", "gpu = 2", "license = 1", "gpu = 1, license = 1")
        fields.append("uses = {\(amounts)}")
        if !isTwice, amounts.contains("gpu") { used.append("$RACLETTE_GPU") }
      }
      if number > 0, hasConditions, happens(0.25) {
        let other = Int.random(in: 0..<number, using: &random)
        fields.append("enabled = rac.file_exists('done\(other)')")
      }
      let leaf = "sh leaf done\(number) \(used.joined(separator: " "))"
      fields.append("run = '\(happens(0.2) ? "make -s -f leaves.mk t\(number)" : leaf)'")
    }
    commands += "rac.command{\(fields.joined(separator: ", "))}\n"
    makefile +=
      "t\(number): u\(number) v\(number)\n\t@touch done\(number)\nu\(number) v\(number):\n\t@:\n"
  }
}
