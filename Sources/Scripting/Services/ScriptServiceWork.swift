import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive

/// One run of a service: an execution of its command, with a probe that asks whether it is ready.
/// Confined to the loop's thread.
final class ScriptServiceWork: ServiceWork {
  let command: ScriptCommand
  let input: LuaValue
  /// The variables that it begins with.
  let caller: CallerEnvironment
  let output: ServiceOutput
  private let probe: ReadinessProbe
  private weak var observer: (any ServiceWorkObserver)?
  private(set) var script: ScriptExecution?
  /// The leaders of the process groups that run.
  private(set) var leaders: Set<Int32> = []
  private(set) var basis: ServiceBasis?
  /// The grace period within which a process of it has not ended.
  private var killedAfter: Duration?
  /// When it was asked to end.
  private var stopTime: Duration?

  private var host: ScriptHost { command.host }

  /// - Parameter probeLimit: the longest time in which the program or the function of a probe answers.
  init(
    _ command: ScriptCommand, _ input: LuaValue, _ output: ServiceOutput,
    for caller: CallerEnvironment, probeLimit: Duration
  ) {
    (self.command, self.input, self.output) = (command, input, output)
    self.caller = caller
    probe = ReadinessProbe(limit: probeLimit)
  }

  func start(_ observer: any ServiceWorkObserver) {
    self.observer = observer
    output.begin()
    if let problem = probe.prepare(for: self) { return end(ServiceEnd(failure: problem)) }
    host.add(self)
    let script = host.within(Purpose(nil, for: caller)) { command.start(input, serving: self) }
    script.isObserved = true
    self.script = script
    script.observe(
      Observer(
        next: onLoop { [self] in printed($0) },
        batch: onLoop { [self] (values: Batch<LuaValue>) in
          // Those have been printed.
          if !(values is ShownValues) { printed(values) }
        },
        end: onLoop { [self] termination in
          probe.end()
          let failure = script.failure(at: termination)
          script.whenTornDown(
            onLoop { [self] in
              output.finish()
              end(
                ServiceEnd(
                  failure: failure?.textOfService, cause: failure?.causeOfService,
                  code: failure?.code,
                  lines: failure?.linesOfNeeded ?? output.lastLines))
            })
        }), in: CompoundDisposable())
  }

  func stop() {
    probe.end()
    stopTime = EventLoop.now
    script?.cancel()
  }

  func kill() {
    guard let script else { return }
    // Those of what is executed for it, too.
    let inside = host.executions.sorted.filter { $0.isWithin(script) }
    for leader in inside.reduce(into: leaders, { $0.formUnion($1.leaders) }) {
      _ = Platform.kill(-leader, SIGKILL)
    }
    let tenths = ((EventLoop.now - (stopTime ?? EventLoop.now)) / .milliseconds(100)).rounded()
    killedAfter = .milliseconds(100 * Int64(tenths))
  }

  private func end(_ end: ServiceEnd) {
    host.remove(self)
    script = nil
    var end = end
    end.killedAfter = killedAfter
    observer?.work(self, endedWith: end)
  }

  // MARK: Reports of the execution

  /// Its own work begins: all that it needs is there.
  func workBegins() {
    guard basis == nil, !probe.isOver else { return }
    basis = ServiceBasis(of: Plan.Call(command, input), for: caller)
    host.remove(self)
    output.beginOwn()
    probe.workBegins()
    observer?.workHasBegun(self)
    // Not inside the code that begins the work.
    host.scheduler.enqueue(onLoop { [self] in probe.begin() })
  }

  /// Its probe has answered.
  func isAnswered(_ answer: ProbeAnswer) { observer?.work(self, answered: answer) }

  func groupBegan(_ leader: Int32) {
    leaders.insert(leader)
    observer?.work(self, isLedBy: leader)
  }

  func groupIsKilled(after grace: Duration) { killedAfter = grace }

  func groupEnded(_ leader: Int32) { leaders.remove(leader) }

  func wroteErrors(_ bytes: UnsafeRawBufferPointer) {
    output.addErrors(bytes)
  }

  /// Receives a line of its output that came after its end was asked for.
  func wroteLate(_ line: UnsafeRawBufferPointer) { output.add(Array(line)) }

  /// Receives the output of what it needs or executes that nothing takes.
  var receiver: Observer<LuaValue> {
    Observer(
      next: onLoop { [self] in printed($0) },
      batch: onLoop { [self] (values: Batch<LuaValue>) in printed(values) },
      end: { _ in })
  }

  private func printed(_ values: Batch<LuaValue>) {
    // All that it prints is in one record.
    if let question = values as? JoinedStreams { return question.answer(true) }
    values.forEach { printed($0) }
  }

  private func printed(_ value: LuaValue) {
    let bytes = value.argumentBytes ?? (try? host.json(value))?.exactBytes ?? []
    output.add(bytes)
  }
}

extension ScriptServiceWork: HostObserver {
  /// Passes on that the service waits for resources, before its work begins.
  func hostWaits(_ contention: Contention) {
    guard contention.command == command.name, contention.resources != nil else { return }
    observer?.work(self, waitsFor: contention)
  }
}

extension Failure {
  /// The message of the end of a service.
  fileprivate var textOfService: String {
    kind == .cancelled ? "it was cancelled" : reasonOfLoss ?? text
  }

  /// The kind of the failure that has led to the end of a service; nil for that of its process.
  fileprivate var causeOfService: Kind? {
    [.exit, .dependency].contains(rootKind) ? nil : rootKind
  }

  /// The last lines of the service that it has failed with, which it needs.
  fileprivate var linesOfNeeded: [String]? {
    guard kind == .dependency, hidesStandardError, let stderr else { return nil }
    return stderr.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
