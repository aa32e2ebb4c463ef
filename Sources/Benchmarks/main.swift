let suites: [(name: String, run: () -> Void)] = [
  ("reactive", reactiveBenchmark),
  ("spawn", spawnBenchmark),
]

let asked = CommandLine.arguments.dropFirst()
let unknown = asked.filter { name in !suites.contains { $0.name == name } }
if unknown.isEmpty {
  for suite in suites where asked.isEmpty || asked.contains(suite.name) { suite.run() }
} else {
  print("no suite \(unknown.joined(separator: ", "))")
  print("the suites are \(suites.map(\.name).joined(separator: ", "))")
}
