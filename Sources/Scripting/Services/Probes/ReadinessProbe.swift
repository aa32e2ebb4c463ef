import EventLoop
import LuaRuntime
import Platform
import Reactive

/// The probe of one run of a service: it asks, as `ready` says, whether the service is ready. Confined to
/// the loop's thread.
final class ReadinessProbe {
  /// The longest time in which a program or a function answers.
  private let limit: Duration
  /// The run, which owns it.
  private weak var work: ScriptServiceWork?
  private let probing = CompoundDisposable()
  /// What was at its path before its own work began.
  private var earlierFile: ProbedFile?
  private var hasPrintedLine = false

  private var host: ScriptHost? { work?.command.host }

  init(limit: Duration) { self.limit = limit }

  /// True once it asks no more.
  var isOver: Bool { probing.isDisposed }

  /// Looks at what is there before a run starts.
  ///
  /// - Returns: why the run cannot become ready; nil if it may.
  func prepare(for work: ScriptServiceWork) -> String? {
    self.work = work
    switch work.command.service?.readiness {
    case .port(let port): return answerOfOther(at: port)?.text
    case .page(let page) where page.place.isHere: return answerOfOther(at: page.place.port)?.text
    default: break
    }
    return nil
  }

  /// Looks at what is there before the work of the run begins, which the run before and what it needs may
  /// have left.
  func workBegins() {
    if let work, case .path(let path) = work.command.service?.readiness {
      earlierFile = ProbedFile(Self.resolved(path, of: work.command))
    }
  }

  /// Asks no more.
  func end() { probing.dispose() }

  private func answer(_ answer: ProbeAnswer) {
    if !isOver { work?.isAnswered(answer) }
  }

  /// Asks from now on, unless it has ended.
  func begin() {
    guard !isOver, let work, let readiness = work.command.service?.readiness else { return }
    switch readiness {
    case .port(let port):
      ask { [self] subscription, answer in askPort(port, subscription, answer) }
    case .page(let page):
      ask { [self] subscription, answer in
        if page.place.isHere, let other = answerOfOther(at: page.place.port) {
          return answer(other)
        }
        if let host { page.ask(on: host.loop, in: subscription, answer) }
      }
    case .line(let text): awaitLine(text, of: work)
    case .path(let path): ask { [self] in askPath(path, $0, $1) }
    case .work(let step): ask { [self] in askProgram(step, $0, $1) }
    case .signal, .function: follow(readiness, of: work)
    }
  }

  private func ask(
    _ question: @escaping (CompoundDisposable, @escaping (ProbeAnswer) -> Void) -> Void
  ) {
    guard let host else { return }
    LiveProbe(
      host.loop, in: probing, asking: question, onAnswer: { [weak self] in self?.answer($0) }
    ).start()
  }

  private func answerOfOther(at port: UInt16) -> ProbeAnswer? {
    guard case .other(let process, let name) = PortOwner.ofPort(port, among: work?.leaders ?? [])
    else {
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
    switch PortOwner.ofPort(port, among: work?.leaders ?? []) {
    case .own: answer(.yes("it listens on port \(port)"))
    case .nobody: answer(.no("nothing listens on port \(port)"))
    case .other: answer(answerOfOther(at: port) ?? .no("nothing listens on port \(port)"))
    case .unknown:
      guard let host else { return }
      ServerProbe(ServerPlace(host: "localhost", port: port))
        .ask(on: host.loop, in: subscription, answer)
    }
  }

  private func awaitLine(_ text: [UInt8], of work: ScriptServiceWork) {
    let name = String(exactly: text)
    let following = work.output.receiveOwn { [weak self] line in
      guard let self, !hasPrintedLine, line.bytes.contains(text) else { return }
      hasPrintedLine = true
      answer(.yes("it has printed '\(name)'"))
    }
    probing.add(following)
    if !hasPrintedLine { answer(.no("it has not printed '\(name)'")) }
  }

  private static func resolved(_ path: String, of command: ScriptCommand) -> String {
    SourceScope.join(command.description.folder, path)
  }

  private func askPath(
    _ path: String, _ subscription: CompoundDisposable, _ answer: @escaping (ProbeAnswer) -> Void
  ) {
    guard let work else { return }
    let place = Self.resolved(path, of: work.command)
    guard let state = ProbedFile(place) else { return answer(.no("there is no '\(path)'")) }
    // A server that listens there is another one: its own has to make the socket anew.
    if state == earlierFile { return answer(.no("'\(path)' is as it was before the start")) }
    guard state.isSocket, let address = SocketAddress(path: place) else {
      return answer(.yes("there is '\(path)'"))
    }
    let end = work.command.host.loop.ask(address, within: .seconds(5)) { reply in
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
    guard let work, let steps = work.command.description.work, var place = work.script?.place else {
      return answer(.no("it has no working context yet"))
    }
    let (command, input, host) = (work.command, work.input, work.command.host)
    (place.isInteractive, place.hasTerminal) = (false, false)
    var options = command.process(
      of: step, in: CommandWork(steps: steps.steps, isList: true), input)
    options.function = "ready"
    options.errors = .capture
    options.takesJob = false
    options.timeout = limit
    // Nothing depends on its end.
    options.grace = .zero
    options.isReported = false
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
  private func follow(_ readiness: ServiceRules.Readiness, of work: ScriptServiceWork) {
    let (command, host) = (work.command, work.command.host)
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
    condition.caller = work.caller
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
    ask { [limit] subscription, answer in
      let timer = host.loop.timer(after: limit) {
        condition.giveUp(" within \(limit.text)")
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
