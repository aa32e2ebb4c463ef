import Reactive
import Testing

@testable import Scripting

@Suite("The life of a service") struct ServiceLifeTests {
  @Test func itStartsForItsFirstUserAndEndsWithItsLast() {
    let world = ServiceWorld(ServiceRules())
    let first = world.use()
    let second = world.use()
    world.answer(.no("not yet"))
    world.answer(.yes("there"))
    world.leave(first)
    #expect(world.life.status.state == .ready)
    world.leave(second)
    #expect(world.life.status.state == .ending)
    world.end(nil)
    #expect(world.life.status.state == .down)
    #expect(world.seen[first] == [.starting, .starting, .starting, .ready])
    #expect(world.starts == 1)
  }

  @Test func itsWorkBeginsWhenAllThatItNeedsIsThere() {
    let world = ServiceWorld(ServiceRules())
    _ = world.use()
    world.advance(.seconds(5))
    #expect(world.life.status.began == nil)
    world.begin()
    world.advance(.seconds(1))
    world.answer(.yes("there"))
    #expect(world.life.status.began == 5_000)
    world.end("it broke")
    #expect(world.life.status.began == nil)
  }

  @Test func anIntendedRestartIsNoCrash() {
    var rules = ServiceRules()
    rules.restartTimes = 0
    let world = ServiceWorld(rules)
    let user = world.use()
    world.answer(.yes("there"))
    for _ in 0..<20 {
      world.life.restart(for: .own)
      #expect(world.life.status.state == .restarting)
      world.end("it was asked to end")
      #expect(world.life.status.state == .starting)
      world.answer(.yes("there"))
    }
    #expect(world.life.status.restarts == 20)
    #expect(world.seen[user]?.contains(.failed) == false)
  }

  @Test func itKeepsTheVariablesOfTheOneThatHasStartedIt() {
    var rules = ServiceRules()
    (rules.restart, rules.restartDelay) = (.onFailure, .zero)
    let world = ServiceWorld(rules)
    let (first, second, third) = (
      CallerEnvironment([]), CallerEnvironment([]), CallerEnvironment([])
    )
    let uses = [world.use(for: first), world.use(for: second)]
    world.end("it broke")
    world.advance(.zero)
    let identities = { world.callers.map(ObjectIdentifier.init) }
    #expect(identities() == [first, first].map(ObjectIdentifier.init))
    #expect(world.life.caller === first)
    world.life.restart(for: third)
    world.end(nil)
    world.end("it broke")
    world.advance(.zero)
    #expect(identities().dropFirst(2) == [third, third].map(ObjectIdentifier.init)[...])
    for use in uses { world.leave(use) }
    #expect(world.life.status.state == .ending)
    _ = [world.use(for: second), world.use(for: first)]
    world.end(nil)
    #expect(world.callers.last === second)
  }

  @Test func restartsBackOffUpToTheirLimit() {
    var rules = ServiceRules()
    (rules.restart, rules.restartDelay, rules.restartTimes) = (.onFailure, .seconds(1), 3)
    let world = ServiceWorld(rules)
    _ = world.use()
    var delays: [Duration] = []
    while world.life.status.state != .failed {
      world.end("it broke")
      let begin = world.now
      while world.life.status.state == .restarting { world.advance(.milliseconds(250)) }
      delays.append(world.now - begin)
    }
    #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .zero])
    #expect(world.life.status.failure == "it broke, after it was restarted 3 times")
  }

  @Test func whatWasReadyForTenSecondsBeginsANewRow() {
    var rules = ServiceRules()
    (rules.restart, rules.restartDelay, rules.restartTimes) = (.always, .zero, 1)
    let world = ServiceWorld(rules)
    _ = world.use()
    for _ in 0..<5 {
      world.answer(.yes("there"))
      world.advance(.seconds(10))
      world.end(nil)
      world.advance(.zero)
      #expect(world.life.status.state == .starting)
    }
    world.end("it broke")
    #expect(world.life.status.state == .failed)
  }

  @Test func aForeignListenerIsAnErrorThatNamesIt() {
    let world = ServiceWorld(ServiceRules())
    _ = world.use()
    for _ in 0..<3 {
      world.answer(.taken("port 5432 belongs to 'nc' (pid 7), not to this service"))
    }
    #expect(world.life.status.state == .ending)
    world.end("it was cancelled")
    #expect(world.life.status.state == .failed)
    #expect(world.life.status.failure == "port 5432 belongs to 'nc' (pid 7), not to this service")
  }

  @Test func anOrderToRestartIsLaterThanTheOneToEnd() {
    let world = ServiceWorld(ServiceRules())
    _ = world.use()
    world.life.end(because: "it was ended")
    world.life.restart(for: .own)
    #expect(world.life.status.state == .restarting)
    #expect(world.life.status.failure == nil)
    world.end(nil)
    #expect(world.life.status.state == .starting)
  }

  @Test func whatAProbeFailsIsStartedAgainByItsRules() {
    var rules = ServiceRules()
    (rules.restart, rules.restartDelay, rules.restartTimes) = (.onFailure, .seconds(1), 1)
    let world = ServiceWorld(rules)
    _ = world.use()
    for round in 1...2 {
      for _ in 0..<3 { world.answer(.taken("port 5432 belongs to 'nc' (pid 7)")) }
      world.end("it was cancelled")
      #expect(world.life.status.state == (round == 1 ? .restarting : .failed))
      world.advance(.seconds(1))
    }
    #expect(
      world.life.status.failure
        == "port 5432 belongs to 'nc' (pid 7), after it was restarted once")
    // An answer of no ends nothing, however often it comes.
    let other = ServiceWorld(rules)
    _ = other.use()
    other.answer(.yes("there"))
    for _ in 0..<100 { other.answer(.no("gone")) }
    #expect(other.life.status.state == .unready)
    other.answer(.yes("there"))
    #expect(other.life.status.state == .ready)
  }

  @Test func itLingersForTheNextUser() {
    var rules = ServiceRules()
    rules.linger = .seconds(5)
    let world = ServiceWorld(rules)
    world.leave(world.use())
    world.advance(.seconds(4))
    let next = world.use()
    world.advance(.seconds(60))
    #expect(world.life.status.state == .starting)
    world.leave(next)
    world.advance(.seconds(5))
    #expect(world.life.status.state == .ending)
  }

  @Test func whatIsRestartedWhileItLingersLingersAgain() {
    var rules = ServiceRules()
    rules.linger = .seconds(5)
    let world = ServiceWorld(rules)
    world.leave(world.use())
    world.advance(.seconds(4))
    world.life.restart(for: .own)
    world.advance(.seconds(2))
    #expect(world.life.status.state == .restarting)
    world.end(nil)
    #expect(world.life.status.state == .starting)
    world.advance(.seconds(4))
    #expect(world.life.status.state == .starting)
    world.advance(.seconds(1))
    #expect(world.life.status.state == .ending)
  }

  @Test func onlyTheTimeInWhichItIsReadyCountsAsSteady() {
    var rules = ServiceRules()
    rules.readiness = .line([])
    (rules.restart, rules.restartDelay, rules.restartTimes) = (.onFailure, .zero, 1)
    let world = ServiceWorld(rules)
    _ = world.use()
    // Ready for nine seconds, and not ready for a minute.
    world.answer(.yes("there"))
    world.advance(.seconds(9))
    world.answer(.no("gone"))
    world.advance(.seconds(60))
    world.end("it broke")
    world.advance(.zero)
    world.end("it broke")
    #expect(world.life.status.state == .failed)
  }

  @Test func aLossOfReadinessDoesNotTakeSteadyTimeBack() {
    var rules = ServiceRules()
    rules.readiness = .line([])
    (rules.restart, rules.restartDelay, rules.restartTimes) = (.onFailure, .zero, 1)
    let world = ServiceWorld(rules)
    _ = world.use()
    for _ in 0..<3 {
      world.answer(.yes("there"))
      world.advance(.seconds(10))
      world.answer(.no("gone"))
      world.answer(.yes("there"))
      world.end("it broke")
      world.advance(.zero)
      #expect(world.life.status.state == .starting)
    }
  }

  @Test func whatNothingCanTellReadyIsSteadyFromItsStart() {
    var rules = ServiceRules()
    (rules.restart, rules.restartDelay, rules.restartTimes) = (.onFailure, .zero, 1)
    let world = ServiceWorld(rules)
    _ = world.use()
    for _ in 0..<3 {
      world.advance(.seconds(10))
      world.end("it broke")
      world.advance(.zero)
      #expect(world.life.status.state == .starting)
    }
  }

  @Test func anOrderToRestartBeginsANewRow() {
    var rules = ServiceRules()
    (rules.restart, rules.restartDelay, rules.restartTimes) = (.onFailure, .zero, 1)
    let world = ServiceWorld(rules)
    _ = world.use()
    world.end("it broke")
    world.advance(.zero)
    world.life.restart(for: .own)
    world.end(nil)
    world.end("it broke")
    world.advance(.zero)
    #expect(world.life.status.state == .starting)
    world.end("it broke")
    #expect(world.life.status.state == .failed)
  }

  @Test func theStatusOfItsProcessIsKnownAfterAFailure() {
    let world = ServiceWorld(ServiceRules())
    _ = world.use()
    world.end("it broke", code: 3)
    #expect(world.life.status.code == 3)
    world.life.end(because: "'raclette down' has ended it")
    #expect(world.life.status.state == .down)
    #expect(world.life.status.failure == "'raclette down' has ended it")
    #expect(world.life.status.code == nil)
  }

  @Test func whatWasNotReadyInTimeHasFailedOnceItsLastUserLeaves() {
    var rules = ServiceRules()
    (rules.readiness, rules.readyTimeout) = (.line([]), .seconds(5))
    for (time, state) in [(4, ServiceState.down), (5, .failed)] {
      let world = ServiceWorld(rules)
      let user = world.use()
      world.advance(.seconds(60))
      world.begin()
      world.answer(.no("it has printed nothing"))
      world.advance(.seconds(time))
      world.leave(user)
      #expect(world.life.status.state == .ending)
      world.end("it was cancelled")
      #expect(world.life.status.state == state)
      let reason = "it was not ready within 5 s: it has printed nothing"
      #expect(world.life.status.failure == (state == .failed ? reason : nil))
    }
  }

  @Test func itPreparesUntilItsOwnWorkBegins() {
    let world = ServiceWorld(ServiceRules())
    _ = world.use()
    #expect(world.life.status.isPreparing)
    let wait = Contention(command: "db", resources: "gpu = 1", holder: "'a' has it", isFirst: true)
    world.wait(for: wait)
    #expect(world.life.status.waits == wait)
    world.begin()
    #expect(!world.life.status.isPreparing)
    #expect(world.life.status.waits == nil)
    world.end(nil)
    _ = world.use()
    world.end(nil)
    #expect(!world.life.status.isPreparing)
  }

  @Test func onlyWhatIsBeingEndedIsKilled() {
    let world = ServiceWorld(ServiceRules())
    let user = world.use()
    world.life.kill()
    #expect(world.kills == 0)
    world.leave(user)
    world.life.kill()
    #expect(world.kills == 1)
  }

  @Test func whoComesWhileItEndsHasANewRun() {
    let world = ServiceWorld(ServiceRules())
    world.leave(world.use())
    let next = world.use()
    #expect(world.seen[next] == [.ending])
    world.end(nil)
    #expect(world.seen[next] == [.ending, .starting])
    #expect(world.starts == 2)
  }

  @Test func anOrderEndsItWhoeverUsesIt() {
    let world = ServiceWorld(ServiceRules())
    let user = world.use()
    world.life.end(because: "it was ended by 'raclette down'")
    world.end("it was cancelled")
    #expect(world.seen[user] == [.starting, .ending, .down])
    #expect(world.life.status.failure == "it was ended by 'raclette down'")
    #expect(world.life.status.users == 1)
    _ = world.use()
    #expect(world.seen[user]?.last == .starting)
  }

  /// Random histories: whatever happens in which order, there is one run at a time, nobody is left
  /// waiting for something that goes on, and what nobody uses ends.
  @Test(arguments: 0..<40)
  func randomHistories(_ seed: Int) {
    for history in 0..<100 {
      let number = UInt64(seed * 100 + history)
      guard let problem = Self.problem(number, steps: 60) else { continue }
      // The shortest history with this seed that shows it.
      let steps = (1...60).first { Self.problem(number, steps: $0) != nil } ?? 60
      Issue.record(
        "history \(number), \(steps) steps: \(Self.problem(number, steps: steps) ?? problem)")
      return
    }
  }

  private static func problem(_ number: UInt64, steps: Int) -> String? {
    var random = Noise(state: number &* 0x9E37_79B9_7F4A_7C15 | 1)
    var rules = ServiceRules()
    rules.restart = ServiceRules.Restart.allCases.randomElement(using: &random)!
    rules.restartTimes = Int.random(in: 0...3, using: &random)
    rules.restartDelay = .milliseconds(Int.random(in: 0...3, using: &random) * 100)
    rules.linger = .milliseconds(Int.random(in: 0...2, using: &random) * 300)
    let world = ServiceWorld(rules)
    var users: [Int] = []
    /// What the model knows: crashes since the last order or ten steady seconds, and whether the
    /// present run has answered yes last.
    var lastAnswer: ProbeAnswer?
    var runs = 0
    for _ in 0..<steps {
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1: users.append(world.use())
      case 2, 3:
        if let place = users.indices.randomElement(using: &random) {
          world.leave(users.remove(at: place))
        }
      case 4, 5:
        lastAnswer = .yes("there")
        world.answer(.yes("there"))
      case 6:
        lastAnswer = .no("gone")
        world.answer(.no("gone"))
      case 7: world.end("it broke")
      case 8: world.end(nil)
      case 9: world.life.restart(for: .own)
      case 10: world.advance(.milliseconds(Int.random(in: 1...12, using: &random) * 100))
      default:
        if Int.random(in: 0..<4, using: &random) == 0 { world.life.end(because: "it was ended") }
      }
      if world.starts != runs { (runs, lastAnswer) = (world.starts, nil) }
      let status = world.life.status
      if let problem = world.problem { return problem }
      if status.users != users.count { return "it counts \(status.users) of \(users.count) users" }
      if status.state == .ready, lastAnswer?.isYes != true {
        return "it is ready without an answer"
      }
      if status.state == .unready, lastAnswer?.isYes != false { return "it is unready for nothing" }
      let runs = world.work != nil
      let mustRun: Set<ServiceState> = [.starting, .ready, .unready, .ending]
      if mustRun.contains(status.state), !runs { return "\(status.state) without work" }
      if status.state.isOver, runs { return "\(status.state) with work" }
      for user in users where world.seen[user]?.last != status.state {
        return "a user has last seen \(world.seen[user]?.last as Any), it is \(status.state)"
      }
      if status.state == .failed, status.failure == nil { return "it has failed without a reason" }
    }
    // Left alone, it settles: what has users is up or over, what has none is over.
    for _ in 0..<50 {
      world.advance(.seconds(70))
      if world.life.status.state == .restarting || world.life.status.state == .ending {
        world.end("it was asked to end")
      }
    }
    if !users.isEmpty, [.restarting, .ending].contains(world.life.status.state) {
      return "it stays \(world.life.status.state) although it is used"
    }
    for user in users { world.leave(user) }
    // The longest time for which one lingers.
    world.advance(.seconds(1))
    if [.starting, .ready, .unready].contains(world.life.status.state) {
      return "it stays \(world.life.status.state) without users"
    }
    for _ in 0..<5 {
      world.advance(.seconds(70))
      world.end("it was asked to end")
    }
    return world.life.isOver ? world.problem : "it stays \(world.life.status.state) without users"
  }
}

/// A service in virtual time, whose work a test controls.
private final class ServiceWorld: ServiceClock {
  private(set) lazy var life = ServiceLife(rules, self) { [unowned self] caller in
    callers.append(caller)
    return Work(self)
  }
  /// The callers whose variables its runs have begun with.
  private(set) var callers: [CallerEnvironment] = []
  private let rules: ServiceRules
  private(set) var now = Duration.zero
  private(set) var starts = 0
  fileprivate(set) var kills = 0
  /// The run that has begun and not ended.
  private(set) var work: Work?
  private(set) var problem: String?
  /// The states that each user has seen.
  private(set) var seen: [Int: [ServiceState]] = [:]
  private var uses: [Int: any Disposable] = [:]
  private var timers: [(due: Duration, number: Int, body: () -> Void)] = []
  private var lastTimer = 0

  init(_ rules: ServiceRules) { self.rules = rules }

  final class Work: ServiceWork {
    let basis: ServiceBasis? = nil
    private unowned let world: ServiceWorld
    private(set) var observer: (any ServiceWorkObserver)?
    init(_ world: ServiceWorld) { self.world = world }

    func start(_ observer: any ServiceWorkObserver) {
      self.observer = observer
      if world.work != nil { world.problem = "it was started twice" }
      world.work = self
      world.starts += 1
    }

    func stop() {}
    func kill() { world.kills += 1 }
  }

  var milliseconds: Int64 { now.components.seconds * 1_000 }

  func after(_ delay: Duration, _ body: @escaping () -> Void) -> () -> Void {
    lastTimer += 1
    let number = lastTimer
    timers.append((now + delay, number, body))
    return { [unowned self] in timers.removeAll { $0.number == number } }
  }

  func advance(_ time: Duration) {
    let target = now + time
    while let next = timers.filter({ $0.due <= target }).min(by: {
      ($0.due, $0.number) < ($1.due, $1.number)
    }) {
      timers.removeAll { $0.number == next.number }
      now = max(now, next.due)
      next.body()
    }
    now = target
  }

  func use(for caller: CallerEnvironment = .own) -> Int {
    let number = seen.count
    seen[number] = []
    uses[number] = life.use(for: caller) { [unowned self] in seen[number]?.append($0.state) }
    return number
  }

  func leave(_ number: Int) { uses.removeValue(forKey: number)?.dispose() }

  func begin() { if let work { work.observer?.workHasBegun(work) } }

  func wait(for contention: Contention) {
    if let work { work.observer?.work(work, waitsFor: contention) }
  }

  func answer(_ answer: ProbeAnswer) {
    guard let work else { return }
    work.observer?.work(work, answered: answer)
  }

  func end(_ failure: String?, code: Int32? = nil) {
    guard let ended = work else { return }
    work = nil
    ended.observer?.work(ended, endedWith: ServiceEnd(failure: failure, code: code))
  }
}
