import CQueueFloor
import CServerFloor
import Platform

let suites: [(name: String, run: () -> Void)] = [
  ("startup", startupBenchmark),
  ("exec", execBenchmark),
  ("repl", replBenchmark),
  ("spawn", spawnBenchmark),
  ("reactive", reactiveBenchmark),
  ("commands", commandBenchmark),
  ("lua", luaBenchmark),
  ("cat", catBenchmark),
  ("runner", runnerBenchmark),
  ("panel", panelBenchmark),
  ("panel-events", panelEventBenchmark),
  ("agents", agentBenchmark),
  ("services", serviceBenchmark),
  ("budget", budgetBenchmark),
  ("cache", cacheBenchmark),
  ("adoption", adoptionBenchmark),
  ("batch", batchBenchmark),
  ("uptodate", upToDateBenchmark),
  ("cluster", clusterBenchmark),
  ("growth", growthBenchmark),
  ("instructions", instructionBenchmark),
  ("counted", countedBenchmark),
]

let names = CommandLine.arguments.dropFirst()
if names.first == "--spawn-floor", let count = names.last.flatMap({ Int($0) }) {
  for _ in 0..<count { spawnWithSystemCalls() }
  exit(0)
}
if names.first == "--server-floor", let path = names.last {
  exit(
    server_floor_serve(
      path, PanelEvents.clients, PanelEvents.count, PanelEvents.milliseconds) == 0 ? 0 : 1)
}
// As many at a time as a worker with 8 jobs claims.
if names.first == "--queue-floor", let url = names.last {
  exit(queue_floor_run(url, 108) < 0 ? 1 : 0)
}
if names.first == "--late-server", names.count == 3, let path = names.last,
  let port = UInt16(names[names.startIndex + 1])
{
  serveLate(port, path)
}
if names.first == "--peak" {
  print(peakMemory(of: Array(names.dropFirst())))
  exit(0)
}
if names.first == "public" { exit(writePublicPage("BENCHMARKS.md") ? 0 : 1) }
if let option = names.first, ["--check", "--write"].contains(option), let path = names.last {
  let measure = { for suite in suites where checkedSuites.contains(suite.name) { suite.run() } }
  if option == "--check" { exit(keepsRatios(in: path, measure: measure) ? 0 : 1) }
  measure()
  ratios.withLock { $0.write(path) }
  exit(0)
}
for name in names where !suites.contains(where: { $0.name == name }) {
  print("no suite '\(name)'; the suites are \(suites.map(\.name).joined(separator: ", "))")
  exit(2)
}
for suite in suites where names.isEmpty || names.contains(suite.name) { suite.run() }
