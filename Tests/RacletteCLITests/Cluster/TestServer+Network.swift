import Platform

extension TestServer {
  /// Adds lines before all others to a file of its configuration, from its next start.
  func configure(_ name: String, _ lines: [String]) {
    let path = "\(folder)/data/\(name)"
    let words = lines.map { "'\($0)'" }.joined(separator: " ")
    spawnAndWait([
      "/bin/sh", "-c",
      "cp -p '\(path)' '\(path).old' && { printf '%s\\n' \(words); cat '\(path).old'; } > '\(path)'",
    ])
  }
}

/// A network between this machine and a namespace, which can be cut.
final class TestNetwork {
  /// True if this machine allows one.
  static let isAllowed: Bool = {
    guard getuid() == 0 else { return false }
    let network = TestNetwork()
    defer { network.remove() }
    return network.isMade
  }()

  /// The address of this machine in it.
  let address: String
  private let name: String
  /// The device of this machine in it.
  private let near: String
  private let isMade: Bool

  init() {
    // Another program that runs these tests has others.
    let (second, third) = (Int.random(in: 130...250), Int.random(in: 1...250))
    name = "raclette-\(second)-\(third)"
    near = "rac\(second)-\(third)"
    let far = "far\(second)-\(third)"
    address = "10.\(second).\(third).1"
    isMade = Self.run(
      """
      ip netns add \(name) && ip link add \(near) type veth peer name \(far) netns \(name) &&
      ip address add \(address)/24 dev \(near) && ip link set \(near) up &&
      ip -n \(name) address add 10.\(second).\(third).2/24 dev \(far) &&
      ip -n \(name) link set \(far) up && ip -n \(name) link set lo up
      """)
  }

  /// What starts a program behind the network.
  func behind(_ launch: Launch) -> Launch {
    var launch = launch
    launch.arguments = ["netns", "exec", name, launch.program] + launch.arguments
    launch.program = "/sbin/ip"
    return launch
  }

  /// Loses all packets, in both directions, without a word.
  func cut() { _ = Self.run("ip link set \(near) down") }

  func mend() { _ = Self.run("ip link set \(near) up") }

  func remove() { _ = Self.run("ip link delete \(near); ip netns delete \(name)") }

  private static func run(_ line: String) -> Bool {
    spawnAndWait(["/bin/sh", "-c", "exec >/dev/null 2>&1; PATH=$PATH:/sbin:/usr/sbin; \(line)"])
      == 0
  }
}
