import Commands
import Reactive
import RunnerCore
import Scripting

/// The controls of all commands, which are bound again when the commands are others. On the loop's
/// thread.
final class ControlTable: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private unowned let panel: Panel
  private var buttons: [String: PanelButton] = [:]
  private var barItems: [String: PanelBarItem] = [:]
  private var refreshers: [RefresherKey: PanelRefresher] = [:]
  private var commands: [String: PanelCommand] = [:]
  /// Ends with the binding of the commands.
  private var binding = CompoundDisposable()

  private struct RefresherKey: Hashable {
    let page: String
    let command: String
  }

  init(_ panel: Panel) { self.panel = panel }

  /// Binds the controls to commands, and unbinds those whose command is gone.
  func bind(_ scripts: [ScriptCommand]) {
    binding.dispose()
    binding = CompoundDisposable()
    commands = [:]
    for script in scripts { commands[script.name] = command(for: script) }
    for name in scripts.map(\.name) where buttons[name] == nil {
      buttons[name] = PanelButton()
      listen(buttons[name], name)
    }
    for script in scripts where script.isPinned && barItems[script.name] == nil {
      barItems[script.name] = PanelBarItem()
      listen(barItems[script.name], script.name)
    }
    let pinned = Set(scripts.filter(\.isPinned).map(\.name))
    let refreshed = Set(scripts.filter(\.isRefreshed).map(\.name))
    for (name, button) in buttons { button.command = commands[name] }
    for (name, item) in barItems { item.command = pinned.contains(name) ? commands[name] : nil }
    for (key, refresher) in refreshers {
      refresher.command = refreshed.contains(key.command) ? commands[key.command] : nil
    }
    buttons = buttons.filter { $0.value.command != nil }
    barItems = barItems.filter { $0.value.command != nil }
    for script in scripts { panel.stateMayHaveChanged(script.name) }
  }

  private func listen(_ control: PanelControl?, _ name: String) {
    control?.onChange = { [weak panel] in panel?.stateMayHaveChanged(name) }
  }

  /// The command of the controls of a script's command: it is enabled as that is, and its
  /// executions are runs.
  private func command(for script: ScriptCommand) -> PanelCommand {
    if let board = panel.board {
      return PanelCommand(
        name: script.name, enabled: nil, scheduler: panel.workspace.host.scheduler,
        concurrencyLimit: .unlimited
      ) { press in board.begin(press) }
    }
    // A predicate is asked when the control is pressed.
    if !script.hasPredicate {
      script.ask()
      script.onDecision(in: binding) { [weak panel] in panel?.stateMayHaveChanged(script.name) }
      script.whenConditionKnown(in: binding.makeChild()) { [weak panel] in
        panel?.stateMayHaveChanged(script.name)
      }
    }
    return PanelCommand(
      name: script.name, enabled: script.hasPredicate ? nil : script.immediateEnabled,
      scheduler: panel.workspace.host.scheduler, concurrencyLimit: .unlimited
    ) { [workspace = panel.workspace] press in
      guard let plan = press.plan else { return .empty() }
      let run = workspace.start(plan, press)
      return Signal { observer, subscription in
        subscription.add { run.cancel() }
        run.end.observe(observer, in: subscription)
      }
    }
  }

  func button(_ name: String) -> PanelButton? { buttons[name] }

  func barItem(_ name: String) -> PanelBarItem? { barItems[name] }

  /// The refresh control of a page for a command, made at its first use.
  func refresher(of name: String, on page: String) -> PanelRefresher {
    let key = RefresherKey(page: page, command: name)
    if let known = refreshers[key] { return known }
    let refresher = PanelRefresher { [weak panel] in
      panel?.feed.send(
        "refreshed",
        [("command", JSONValue.string(name).text), ("page", JSONValue.string(page).text)], to: page)
    }
    listen(refresher, name)
    refresher.command = commands[name]
    refreshers[key] = refresher
    return refresher
  }

  /// Removes the refresh controls of a page that is gone.
  func removeRefreshers(of page: String) {
    refreshers = refreshers.filter { $0.key.page != page }
  }
}

/// What the definition of a command says about the panel.
extension ScriptCommand {
  /// True if it has a refresh control on each page.
  var isRefreshed: Bool { panelPlace.isRefreshed }
  /// True if it stands in the header of each page.
  var isPinned: Bool { panelPlace.isPinned }
}
