import Journal
import LuaRuntime
import RunnerBatch
import RunnerCore
import Scripting

/// Checks entries before they are handed over, as far as the commands are known here: what cannot be
/// executed anywhere fails at once, in its place.
struct EntryChecks {
  private let commands: BatchCommands
  /// The paths of scripts in the bundle, by those in the plan.
  private let scripts: [String: String]
  /// True if the questions of commands are to be asked.
  private let asks: Bool
  private let names = UnrecordedClaims()
  private let key: QueueKey?

  /// - Parameters:
  ///   - scripts: the paths of scripts in the bundle, by those in the plan.
  ///   - asks: true if the questions of commands are to be asked.
  ///   - key: seals inputs that hold secrets; without it, they are refused.
  init(
    _ commands: BatchCommands, scripts: [String: String], asks: Bool = true, key: QueueKey? = nil
  ) {
    self.key = key
    self.commands = commands
    self.scripts = scripts
    self.asks = asks
  }

  /// Returns entries as they are handed over, without secrets.
  func checked(_ entries: [PlannedEntry]) throws(JournalError) -> [PlannedEntry] {
    let claims = try names.claim(entries.map(\.entry))
    return zip(entries, claims).map { planned, claim in
      var result = planned
      result.problem = planned.problem ?? problem(of: planned, claim)
      commands.hideSecrets(of: planned.entry)
      let masked = commands.maskingUnknownName(planned).entry.masked
      result.entry = masked
      // What is sealed is bound to the command, so it has its last name before.
      _ = gate(of: &result)
      if masked.kind == .script { result.entry.command = scripts[masked.command] ?? masked.command }
      if masked.name != planned.entry.name {
        result.problem = result.problem ?? "the id holds a secret, which everyone could read"
      }
      if masked.input != planned.entry.input, result.problem == nil {
        if let key {
          result.entry.input = planned.entry.input
          key.seal(&result.entry)
          result.tags.append(key.tag)
        } else {
          result.problem =
            "the input holds a secret, which is not handed over: workers take secrets from their "
            + "own environment, and --queue-key FILE seals inputs"
        }
      }
      // Inputs could be tried against a digest of what is hidden.
      if masked.input != planned.entry.input, result.entry.input == masked.input {
        result.entry.key = EntryKey("hidden", UniqueID.text())
      }
      return result
    }
  }

  /// The gate of an entry, which then has the command's own name instead of an alias.
  func gate(of planned: inout PlannedEntry) -> Gate {
    guard planned.problem == nil, planned.entry.kind == .command,
      let command = commands.host.command(named: planned.entry.command)
    else { return .none }
    let gate = Gate(command)
    if !gate.name.isEmpty { planned.entry.command = gate.name }
    return gate
  }

  /// What the command of an entry uses.
  func uses(of planned: PlannedEntry) -> Resources {
    guard planned.problem == nil, planned.entry.kind == .command else { return [:] }
    return commands.host.command(named: planned.entry.command)?.resources ?? [:]
  }

  /// What the command file offers, for workers that offer no other amount.
  var offers: Resources { commands.host.declaredAmounts }

  private func problem(of planned: PlannedEntry, _ claim: Claim) -> String? {
    let entry = planned.entry
    if case .repeatedName(_, let line, let plan) = claim {
      let place = plan == entry.plan ? "line \(line)" : "\(plan):\(line)"
      return "the id '\(entry.name ?? "")' was used on \(place) before"
    }
    guard entry.kind == .command else { return nil }
    do throws(Failure) {
      let command = try commands.find(planned)
      let input: LuaValue
      do throws(InputError) { input = try commands.input(of: entry, for: command) } catch {
        return "\(error)"
      }
      if asks { try commands.host.confirm(Plan.Call(command, input)) }
      return nil
    } catch {
      return error.message
    }
  }
}
