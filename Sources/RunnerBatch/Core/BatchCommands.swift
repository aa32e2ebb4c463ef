import Journal
import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// The commands that entries name.
package struct BatchCommands {
  package let host: ScriptHost
  /// The path of the command file; nil if there is none.
  let file: String?
  let digests: PlanDigests

  package init(host: ScriptHost, file: String?, digests: PlanDigests) {
    self.host = host
    self.file = file
    self.digests = digests
  }

  package func find(_ planned: PlannedEntry) throws(Failure) -> ScriptCommand {
    let name = planned.entry.command
    if let command = host.command(named: name) { return command }
    guard let file else {
      throw Failure(
        .input,
        "unknown command '\(name)': no \(CommandFile.name) here or in a folder above; -f FILE names one"
      )
    }
    let hint = host.meaning(of: name)?.hint ?? ""
    throw Failure(.input, "unknown command '\(name)' in \(file)\(hint)")
  }

  /// The input of an entry, validated against the command's parameters and completed with defaults.
  package func input(of entry: PlanEntry, for command: ScriptCommand) throws(InputError) -> LuaValue
  {
    // An entry without an input has that of a call without arguments.
    guard !entry.input.isEmpty else { return try command.input(from: []) }
    return try command.checked(try host.value(json: entry.input))
  }

  /// Registers the secrets of an entry, as far as they can be known, so that they are not recorded
  /// or shown.
  package func hideSecrets(of entry: PlanEntry) {
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
      // Do this for invalid lines too: the input may be under a misspelt key.
      guard case .object(let fields)? = JSONValue(text: entry.input) else { return }
      for case (_, .string(let name)) in fields {
        guard let command = host.command(named: name), command.hasSecrets else { continue }
        for (_, value) in fields { hideSecrets(json: value.text, of: command) }
      }
    }
  }

  /// Returns an entry with the secrets in the name of its command masked, if there is no such command:
  /// what is not in the command file may be a secret at the wrong place.
  package func maskingUnknownName(_ planned: PlannedEntry) -> PlannedEntry {
    guard planned.entry.kind == .command, host.command(named: planned.entry.command) == nil else {
      return planned
    }
    var planned = planned
    planned.entry.command = Secrets.masked(planned.entry.command)
    return planned
  }

  private func hideSecrets(json text: String, of command: ScriptCommand) {
    if let value = try? host.value(json: text) { command.hideSecrets(of: value) }
  }

  /// The current key of a script, if it has changed since its entry was read.
  func executedKey(of entry: PlanEntry) -> EntryKey? {
    guard let digest = digests.script(entry.command) else { return nil }
    let key = EntryKey(script: entry.command, input: entry.input, digest: digest)
    return key == entry.key ? nil : key
  }

  /// The arguments of a script.
  func arguments(of entry: PlanEntry) -> [String] {
    guard case .list(let elements)? = JSONValue(text: entry.input) else { return [] }
    return elements.compactMap { if case .string(let word) = $0 { word } else { nil } }
  }
}
