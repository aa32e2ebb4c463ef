import Reactive
spawnBenchmark()
