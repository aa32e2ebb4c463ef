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
  private let names = UnrecordedClaims()

  init(_ commands: BatchCommands, scripts: [String: String]) {
    self.commands = commands
    self.scripts = scripts
  }

  /// Returns entries as they are handed over, without secrets.
  func checked(_ entries: [PlannedEntry]) throws(JournalError) -> [PlannedEntry] {
    let claims = try names.claim(entries.map(\.entry))
    return zip(entries, claims).map { planned, claim in
      var result = planned
      result.problem = planned.problem ?? problem(of: planned, claim)
      commands.hideSecrets(of: planned.entry)
      let masked = planned.entry.masked
      if masked.input != planned.entry.input || masked.name != planned.entry.name {
        result.problem =
          result.problem
          ?? "the input holds a secret, which is not handed over: workers take secrets from their own environment"
      }
      result.entry = masked
      if masked.kind == .script { result.entry.command = scripts[masked.command] ?? masked.command }
      return result
    }
  }

  private func problem(of planned: PlannedEntry, _ claim: Claim) -> String? {
    let entry = planned.entry
    if case .repeatedName(_, let line, let plan) = claim {
      let place = plan == entry.plan ? "line \(line)" : "\(plan):\(line)"
      return "the id '\(entry.name ?? "")' was used on \(place) before"
    }
    guard entry.kind == .command else { return nil }
    do throws(Failure) {
      let command = try commands.find(planned)
      if command.confirmation != nil {
        try commands.host.onConfirm?(Plan.Call(command, .nil))
      }
      do throws(InputError) { _ = try commands.input(of: entry, for: command) } catch {
        return "\(error)"
      }
      return nil
    } catch {
      return error.message
    }
  }
}
