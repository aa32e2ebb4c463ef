import LuaRuntime
import Reactive

@testable import RunnerPanel
@testable import Scripting

/// The work of a service as the test controls it: it uses the services that its command needs, and begins
/// once they are ready.
final class HubWork: ServiceWork {
  let basis: ServiceBasis? = nil
  let name: String
  /// The variables that it begins with.
  let caller: CallerEnvironment
  private let command: ScriptCommand
  private unowned let world: HubWorld
  private weak var observer: (any ServiceWorkObserver)?
  private var needed: [String: (use: any Disposable, state: ServiceState)] = [:]
  private(set) var isStopped = false
  private(set) var isKilled = false
  private var isOver = false
  /// The last answer of its probe; nil while there is none.
  private(set) var lastAnswer: Bool?

  init(_ command: ScriptCommand, for caller: CallerEnvironment, _ world: HubWorld) {
    (name, self.command, self.caller, self.world) = (command.name, command, caller, world)
  }

  /// True if all that it needs has been ready.
  private(set) var hasBegun = false

  func uses(_ name: String) -> Bool { needed[name] != nil }

  func start(_ observer: any ServiceWorkObserver) {
    self.observer = observer
    world.began(self)
    hasBegun = HubWorld.needs[name]!.isEmpty
    for need in HubWorld.needs[name]! {
      guard let service = command.host.command(named: need) else {
        hasBegun = true
        continue
      }
      let use = world.holder.use(service, service.emptyInput, for: caller) {
        [weak self, world] status in
        world.inNextTurn { self?.receive(status.state, of: need) }
      }
      needed[need] = (use, .down)
    }
  }

  private func receive(_ state: ServiceState, of need: String) {
    guard !isOver, !isStopped, needed[need] != nil else { return }
    needed[need]?.state = state
    if state == .ready { hasBegun = true }
    if state.isOver { end("what it needs has ended") }
  }

  func stop() {
    isStopped = true
    world.stopped(self)
  }

  func kill() { isKilled = true }

  func answer(_ isYes: Bool) {
    guard hasBegun, !isStopped, !isOver else { return }
    lastAnswer = isYes
    observer?.work(self, answered: isYes ? .yes("there") : .no("gone"))
  }

  func end(_ failure: String?) {
    guard !isOver else { return }
    isOver = true
    world.ended(self)
    for (use, _) in needed.values { use.dispose() }
    needed = [:]
    observer?.work(self, endedWith: ServiceEnd(failure: failure))
  }

  /// It was killed with the hub.
  func vanish() {
    isOver = true
    needed = [:]
    observer = nil
  }
}
