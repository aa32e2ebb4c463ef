import Journal
import LuaRuntime
import Scripting

/// The commands that entries name.
struct BatchCommands {
  let host: ScriptHost
  /// The command file; nil if there is none.
  let file: String?
  let digests: PlanDigests

  func find(_ planned: PlannedEntry) throws(Failure) -> ScriptCommand {
    let name = planned.entry.command
    if let command = host.command(named: name) { return command }
    guard let file else {
      throw Failure(
        .input,
        "unknown command '\(name)': no \(CommandFile.name) here or in a folder above; -f FILE names one"
      )
    }
    let names = host.commands.flatMap { [$0.name] + $0.aliases }
    let hint = didYouMean(name, among: names)
    throw Failure(.input, "unknown command '\(name)' in \(file)\(hint)")
  }

  /// The input of an entry, checked against the command's parameters and completed.
  func input(of entry: PlanEntry?, for command: ScriptCommand) throws(InputError) -> LuaValue {
    // An entry without one gets what a call without arguments gets.
    guard let entry, !entry.input.isEmpty else { return try command.input(from: []) }
    return try command.checked(try host.value(json: entry.input))
  }

  /// Sees to it that no secret of an entry is recorded or shown, as far as it can be known.
  func hideSecrets(of entry: PlanEntry) {
    switch entry.kind {
    case .script: break
    case .command:
      guard let command = host.command(named: entry.command), command.hasSecrets else { return }
      do throws(InputError) {
        command.hideSecrets(of: try input(of: entry, for: command))
      } catch {
        command.hideSecrets(of: error)
        hideSecrets(json: entry.input, of: command)
      }
    case .malformed:
      // Whatever is wrong with the line: the input may stand under a misspelt key.
      guard case .object(let fields)? = JSONValue(text: entry.input) else { return }
      for case (_, .string(let name)) in fields {
        guard let command = host.command(named: name), command.hasSecrets else { continue }
        for (_, value) in fields { hideSecrets(json: value.text, of: command) }
      }
    }
  }

  private func hideSecrets(json text: String, of command: ScriptCommand) {
    if let value = try? host.value(json: text) { command.hideSecrets(of: value) }
  }

  /// The key of a script as it is now, if it has changed since its entry was read.
  func executedKey(of entry: PlanEntry?) -> EntryKey? {
    guard let entry, let digest = digests.script(entry.command) else { return nil }
    let key = EntryKey(script: entry.command, input: entry.input, digest: digest)
    return key == entry.key ? nil : key
  }

  /// The arguments of a script.
  func arguments(of entry: PlanEntry?) -> [String] {
    guard let entry, case .list(let elements)? = JSONValue(text: entry.input) else { return [] }
    return elements.compactMap { if case .string(let word) = $0 { word } else { nil } }
  }
}
