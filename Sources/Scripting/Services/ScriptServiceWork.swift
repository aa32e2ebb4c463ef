import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive

/// One run of a service: an execution of its command, and the probe that asks whether it is ready.
/// Confined to the loop's thread.
final class ScriptServiceWork: ServiceWork {
  let command: ScriptCommand
  let input: LuaValue
  private let output: ServiceOutput
  /// The longest time in which a program or a function answers.
  private let probeLimit: Duration
  private weak var observer: (any ServiceWorkObserver)?
  private var script: ScriptExecution?
  /// The leaders of the process groups that run.
  private(set) var leaders: Set<Int32> = []
  /// What is disposed when the run ends: the probe.
  private let probing = CompoundDisposable()
  private var isProbing = false
  /// What was at the path of the probe before the run.
  private var earlierFile: ProbedFile?
  private var hasPrintedLine = false
  /// The grace period within which a process of it has not ended.
  private var killedAfter: Duration?
  /// When it was asked to end.
  private var stopTime: Duration?

  private var host: ScriptHost { command.host }

  init(
    _ command: ScriptCommand, _ input: LuaValue, _ output: ServiceOutput, probeLimit: Duration
  ) {
    (self.command, self.input, self.output) = (command, input, output)
    self.probeLimit = probeLimit
  }

  func start(_ observer: any ServiceWorkObserver) {
    self.observer = observer
    output.begin()
    if let taken = takenPort { return end(ServiceEnd(failure: taken)) }
    if case .path(let path)? = command.service?.readiness {
      earlierFile = ProbedFile(resolved(path))
    }
    host.add(self)
    let script = host.within(nil) { command.start(input, serving: self) }
    script.isObserved = true
    self.script = script
    script.observe(
      Observer(
        next: onLoop { [self] in printed($0) },
        batch: onLoop { [self] (values: Batch<LuaValue>) in
          // Those have been printed.
          if !(values is ShownValues) { values.forEach { printed($0) } }
        },
        end: onLoop { [self] termination in
          probing.dispose()
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
    probing.dispose()
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
    guard !isProbing, !probing.isDisposed else { return }
    isProbing = true
    host.remove(self)
    output.beginOwn()
    observer?.workHasBegun(self)
    // Not inside the code that begins the work.
    host.scheduler.enqueue(onLoop { [self] in if !probing.isDisposed { probe() } })
  }

  func groupBegan(_ leader: Int32) {
    leaders.insert(leader)
    observer?.work(self, isLedBy: leader)
  }

  func groupIsKilled(after grace: Duration) { killedAfter = grace }

  func groupEnded(_ leader: Int32) { leaders.remove(leader) }

  func wroteErrors(_ bytes: UnsafeRawBufferPointer) {
    output.addErrors(bytes)
  }

  /// Receives the output of what it needs or executes that nothing takes.
  var receiver: Observer<LuaValue> {
    Observer(
      next: onLoop { [self] in printed($0) },
      batch: onLoop { [self] (values: Batch<LuaValue>) in values.forEach { printed($0) } },
      end: { _ in })
  }

  private func printed(_ value: LuaValue) {
    let bytes = value.argumentBytes ?? (try? host.json(value))?.exactBytes ?? []
    output.add(bytes)
  }

  // MARK: The probe

  private func answer(_ answer: ProbeAnswer) {
    guard !probing.isDisposed else { return }
    observer?.work(self, answered: answer)
  }

  private func probe() {
    guard let readiness = command.service?.readiness else { return }
    switch readiness {
    case .port(let port):
      ask { [self] subscription, answer in askPort(port, subscription, answer) }
    case .page(let page):
      ask { [self] subscription, answer in
        if page.place.isHere, let other = answerOfOther(at: page.place.port) {
          return answer(other)
        }
        page.ask(on: host.loop, in: subscription, answer)
      }
    case .line(let text): awaitLine(text)
    case .path(let path): ask { [self] in askPath(path, $0, $1) }
    case .work(let step): ask { [self] in askProgram(step, $0, $1) }
    case .signal, .function: follow(readiness)
    }
  }

  private func ask(
    _ question: @escaping (CompoundDisposable, @escaping (ProbeAnswer) -> Void) -> Void
  ) {
    LiveProbe(
      host.loop, in: probing, asking: question, onAnswer: { [weak self] in self?.answer($0) }
    ).start()
  }

  /// Why the port of the probe cannot be that of the service, before it starts.
  private var takenPort: String? {
    let port: UInt16
    switch command.service?.readiness {
    case .port(let own): port = own
    case .page(let page) where page.place.isHere: port = page.place.port
    default: return nil
    }
    return answerOfOther(at: port)?.text
  }

  private func answerOfOther(at port: UInt16) -> ProbeAnswer? {
    guard case .other(let process, let name) = PortOwner.ofPort(port, among: leaders) else {
      return nil
    }
    guard let process, let name else {
      return .taken("port \(port) belongs to a process of another user")
    }
    return .taken("port \(port) belongs to '\(name)' (pid \(process)), not to this service")
  }

  private func askPort(
    _ port: UInt16, _ subscription: CompoundDisposable, _ answer: @escaping (ProbeAnswer) -> Void
  ) {
    switch PortOwner.ofPort(port, among: leaders) {
    case .own: answer(.yes("it listens on port \(port)"))
    case .nobody: answer(.no("nothing listens on port \(port)"))
    case .other: answer(answerOfOther(at: port) ?? .no("nothing listens on port \(port)"))
    case .unknown:
      ServerProbe(ServerPlace(host: "localhost", port: port))
        .ask(on: host.loop, in: subscription, answer)
    }
  }

  private func awaitLine(_ text: [UInt8]) {
    let name = String(exactly: text)
    let following = output.receiveOwn { [weak self] line in
      guard let self, !hasPrintedLine, line.bytes.contains(text) else { return }
      hasPrintedLine = true
      answer(.yes("it has printed '\(name)'"))
    }
    probing.add(following)
    if !hasPrintedLine { answer(.no("it has not printed '\(name)'")) }
  }

  private func resolved(_ path: String) -> String {
    SourceScope.join(command.description.folder, path)
  }

  private func askPath(
    _ path: String, _ subscription: CompoundDisposable, _ answer: @escaping (ProbeAnswer) -> Void
  ) {
    let place = resolved(path)
    guard let state = ProbedFile(place) else { return answer(.no("there is no '\(path)'")) }
    guard state.isSocket, let address = SocketAddress(path: place) else {
      return answer(
        state == earlierFile
          ? .no("'\(path)' is as it was before the start") : .yes("there is '\(path)'"))
    }
    let end = host.loop.ask(address, within: .seconds(5)) { reply in
      switch reply {
      case .reply: answer(.yes("'\(path)' accepts connections"))
      case .failed: answer(.no("nothing listens at '\(path)'"))
      }
    }
    subscription.add(onLoop { end() })
  }

  private func askProgram(
    _ step: CommandWork.Step, _ subscription: CompoundDisposable,
    _ answer: @escaping (ProbeAnswer) -> Void
  ) {
    guard let work = command.description.work, var place = script?.place else {
      return answer(.no("it has no working context yet"))
    }
    (place.isInteractive, place.hasTerminal) = (false, false)
    var options = command.process(of: step, in: CommandWork(steps: work.steps, isList: true), input)
    options.function = "ready"
    options.errors = .capture
    options.takesJob = false
    options.timeout = probeLimit
    // Nothing depends on its end.
    options.grace = .zero
    options.isReported = false
    let host = host
    let purpose = Purpose(surroundings: Surroundings(place))
    host.within(purpose) {
      ProcessSignal(host: host, options: options, maker: { purpose }).signal.observe(
        Observer(
          next: { _ in },
          end: onLoop { termination in
            guard case .error(let error) = termination else {
              return answer(.yes("\(options.subject) exits with 0"))
            }
            let failure = host.failure(of: error)
            let line = failure.stderr?.split(whereSeparator: \.isNewline).last
            answer(.no(failure.message + (line.map { ": \($0)" } ?? "")))
          }), in: subscription)
    }
  }

  /// Follows a live signal, or asks a function again and again.
  private func follow(_ readiness: ServiceRules.Readiness) {
    let slot = CommandDefinition.Slot.ready
    let made: EnabledCondition? =
      if case .function = readiness {
        .asked(command.node.callback(slot), in: host)
      } else {
        host.signal(from: command.node.userValue(slot)).map {
          .live($0, in: host, isDeferred: true)
        }
      }
    guard let condition = made?.named("its probe") else { return }
    condition.environment = command.description.environment
    condition.commandName = command.name
    condition.isProbe = true
    var isTrue = false
    condition.truth?.observe(
      Observer(next: onLoop { isTrue = $0 }, end: { _ in }), in: probing.makeChild())
    let answerNow: () -> ProbeAnswer = { [unowned condition] in
      isTrue ? .yes("its probe is true") : .no(condition.explanation ?? "its probe is false")
    }
    guard condition.isFunction else {
      condition.onDecision = { [weak self] in self?.answer(answerNow()) }
      probing.add(onLoop { condition.onDecision = nil })
      return condition.ask()
    }
    ask { [host, probeLimit] subscription, answer in
      let timer = host.loop.timer(after: probeLimit) {
        condition.giveUp(" within \(probeLimit.text)")
      }
      subscription.add(
        onLoop {
          timer.cancel()
          condition.onDecision = nil
          condition.stopAsking()
        })
      condition.onDecision = {
        condition.onDecision = nil
        answer(answerNow())
      }
      condition.ask()
    }
  }
}

extension ScriptServiceWork: HostObserver {
  /// Passes on that the service waits for resources, before its work begins.
  func hostWaits(_ contention: Contention) {
    guard contention.command == command.name, contention.resources != nil else { return }
    observer?.work(self, waitsFor: contention)
  }
}

/// What the system knows of a file, to see whether it has changed.
private struct ProbedFile: Equatable {
  private let stamp: FileStamp
  let isSocket: Bool

  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    stamp = FileStamp(of: information)
    isSocket = information.st_mode & S_IFMT == S_IFSOCK
  }
}

extension [UInt8] {
  /// Returns true if other bytes are part of these.
  fileprivate func contains(_ other: [UInt8]) -> Bool {
    guard other.count <= count else { return false }
    return (0...(count - other.count)).contains {
      self[$0..<($0 + other.count)].elementsEqual(other)
    }
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
