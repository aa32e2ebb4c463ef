import Commands
import Platform
import Reactive

/// W6: executes a one-value signal with subscribers on values, errors and executing, beside a state
/// machine written by hand; and works off long queues. Prints ratios.
///
/// There are two floors: the bare one calls a closure and has a list of jobs for a loop; the other
/// hops by the same scheduler and subscribes to the same signal as the command does, so that it
/// shows what the command itself costs.
func commandBenchmark() {
  var ours: [Double] = []
  var flattened: [Double] = []
  var bare: [Double] = []
  var floor: [Double] = []
  for _ in 0..<ratios.withLock({ $0.blocks }) {
    bare.append(timeBareFloor())
    floor.append(timeFloor())
    ours.append(
      timeCommand { command, receive in
        command.executions.subscribe(next: { $0.subscribe(next: receive) })
      })
    flattened.append(
      timeCommand { command, receive in
        command.executionSignals.flatten().subscribe(next: receive)
      })
  }
  report("W6 execute, executions, bare floor", ours, bare, goal: 1.17)
  report("W6 execute, executions", ours, floor)
  report("W6 execute, executionSignals.flatten", flattened, floor)
  for count in [1_000, 10_000, 100_000] { reportQueue(count) }
}

private let executionsPerBlock = 20_000

private func timeBareFloor() -> Double {
  let loop = ManualLoop()
  return time(
    HandWrittenCommand(enqueue: { loop.enqueue($0) }) { input, next, end in
      next(input)
      end(nil)
      return nil
    }, on: loop)
}

private func timeFloor() -> Double {
  let loop = ManualLoop()
  let scheduler = MainScheduler(loop: loop)
  return time(
    HandWrittenCommand(enqueue: { scheduler.enqueue($0) }) { input, next, end in
      let subscription = Signal.just(input).subscribe(
        next: next, error: { end($0) }, completed: { end(nil) })
      return { subscription.dispose() }
    }, on: loop)
}

private func time(_ command: HandWrittenCommand, on loop: ManualLoop) -> Double {
  let sink = Sink<Int>()
  command.observeExecutions { _ = $0.subscribe(next: { sink.receive($0) }, end: { _ in }) }
  command.observeErrors { _ in sink.receive(1) }
  command.observeExecuting { sink.receive($0 ? 1 : 0) }
  return nanoseconds {
    for number in 0..<executionsPerBlock {
      _ = command.execute(number)
      loop.run()
    }
  }
}

private func timeCommand(
  _ observe: (Command<Int, Int>, @escaping @Sendable (Int) -> Void) -> Void
) -> Double {
  let loop = ManualLoop()
  let command = Command<Int, Int>(scheduler: MainScheduler(loop: loop)) { .just($0) }
  let sink = Sink<Int>()
  observe(command) { sink.receive($0) }
  command.errors.subscribe(next: { _ in sink.receive(1) })
  command.executing.subscribe(next: { sink.receive($0 ? 1 : 0) })
  return nanoseconds {
    for number in 0..<executionsPerBlock {
      command.execute(number)
      loop.run()
    }
  }
}

/// So many executions, one after the other; the floor of those with a signal block in Lua.
func executeInSwift(_ count: Int) {
  let loop = ManualLoop()
  let command = Command<Int, Int>(scheduler: MainScheduler(loop: loop)) { .just($0) }
  let sink = Sink<Int>()
  command.executions.subscribe(next: { $0.subscribe(next: { sink.receive($0) }) })
  command.errors.subscribe(next: { _ in sink.receive(1) })
  command.executing.subscribe(next: { sink.receive($0 ? 1 : 0) })
  for number in 0..<count {
    command.execute(number)
    loop.run()
  }
}

private func reportQueue(_ count: Int) {
  let loop = ManualLoop()
  let command = Command<Int, Int>(scheduler: MainScheduler(loop: loop), whenBusy: .queue()) {
    .just($0)
  }
  let before = residentMemory()
  let filling = ContinuousClock().measure { for number in 0..<count { command.execute(number) } }
  let bytes = (residentMemory() - before) / count
  let draining = ContinuousClock().measure { loop.run() }
  print(
    "queue of \(count): \(Int(filling / .nanoseconds(count))) ns to fill, "
      + "\(Int(draining / .nanoseconds(count))) ns to work off, \(bytes) bytes each")
}

private func nanoseconds(_ body: () -> Void) -> Double {
  ContinuousClock().measure(body) / .nanoseconds(executionsPerBlock)
}

private func report(
  _ title: String, _ ours: [Double], _ floor: [Double], goal: Double? = nil
) {
  let ours = ours.sorted()[ours.count / 2]
  let floor = floor.sorted()[floor.count / 2]
  let ratio = ours / floor
  ratios.withLock { $0.note(title, ratio) }
  let verdict = goal.map { ", goal \(twoDigits($0))\(ratio > $0 ? ", missed" : "")" } ?? ""
  print(
    "\(title): \(Int(ours)) ns each, floor \(Int(floor)) ns, ratio \(twoDigits(ratio))\(verdict)")
}

/// The pages of the process that are in memory, in bytes.
private func residentMemory() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var total = 0
  var resident = 0
  withUnsafeMutablePointer(to: &total) { total in
    withUnsafeMutablePointer(to: &resident) { resident in
      withVaList([total, resident]) { _ = vfscanf(file, "%ld %ld", $0) }
    }
  }
  return resident * Int(getpagesize())
}
