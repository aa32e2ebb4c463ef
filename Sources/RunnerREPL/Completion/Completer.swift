import LineEditor
import LuaRuntime
import RunnerCore
import Scripting

/// Finds completions of the text before the cursor in the live tables. It reads them raw: no code
/// of the script runs.
struct Completer {
  private let workspace: Workspace

  init(_ workspace: Workspace) {
    self.workspace = workspace
  }

  func completions(of text: String) -> Completions {
    let line = text.drop { $0.isWhitespace }
    if line.hasPrefix("!") { return shell(String(line.dropFirst())) }
    guard line.hasPrefix(":") else { return lua(text) }
    let words = line.dropFirst().split(separator: " ", omittingEmptySubsequences: false)
      .map(String.init)
    let last = words.last ?? ""
    guard words.count > 1 else {
      let commands = MetaCommand.all.map { Completion($0.name, detail: $0.summary) }
      return Completions(commands, typed: last) {
        MetaCommand.named($0)?.arguments.isEmpty ?? true ? "" : " "
      }
    }
    switch words[0] {
    case "run": return run(Array(words.dropFirst()))
    case "kill", "wait", "replay":
      let jobs = words[0] == "replay" ? workspace.jobs.all : workspace.jobs.active
      return Completions(jobs.map { "\($0.id)" }, typed: last)
    case "load":
      return FilePaths(words.dropFirst().joined(separator: " "), .plain).completions
    case "help", "doc":
      let names =
        Library.moduleEntries.flatMap { [$0.name, $0.shortName] }
        + ["signal", "command", "execution"].flatMap { Library.members(of: $0) }.map(\.shortName)
        + workspace.host.commands.map(\.name)
        + MetaCommand.all.map { last.hasPrefix(":") ? ":\($0.name)" : $0.name }
      return Completions(names, typed: last)
    case "sh": return shell(words.dropFirst().joined(separator: " "))
    case "save": return FilePaths(words.dropFirst().joined(separator: " "), .plain).completions
    case "session" where words.count == 2:
      return Completions(["restore", "save"], typed: last) { _ in " " }
    case "session": return Completions(SavedSession.names, typed: last)
    case "unsubscribe":
      return Completions(workspace.host.subscriptionsOfScripts.map { "\($0.number)" }, typed: last)
    case "source": return lua(words.dropFirst().joined(separator: " "))
    case "watch", "marbles", "time", "more", "pp", "debug":
      return lua(words.dropFirst().joined(separator: " "))
    default: return Completions()
    }
  }

  /// The programs and files of a line of the shell.
  private func shell(_ line: String) -> Completions {
    let last = ShellWords.typedLast(line)
    let isFirst = line.dropLast(last.count).allSatisfy(\.isWhitespace)
    guard isFirst, !last.contains("/") else { return FilePaths(last, .word).completions }
    return Completions(Programs.names(startingWith: last), typed: last) { _ in " " }
  }

  // MARK: Commands

  private func run(_ words: [String]) -> Completions {
    let last = words.last ?? ""
    guard words.count > 1 else {
      let commands = workspace.host.commands.filter { !$0.isPrivate }
      let names = commands.flatMap { command in
        ([command.name] + command.aliases).map {
          Completion($0, kind: "command", detail: command.summary ?? "")
        }
      }
      return Completions(names, typed: last) { _ in " " }
    }
    guard let command = workspace.host.command(named: words[0]) else { return Completions() }
    let option = words.count > 2 ? words[words.count - 2] : ""
    if let parameter = command.parameters.first(where: { "--\($0.name)" == option }) {
      return Completions(parameter.choices.map(ShellWords.quoted), typed: last) { _ in " " }
    }
    for parameter in command.parameters {
      for lead in ["--\(parameter.name)=", "\(parameter.name)="] where last.hasPrefix(lead) {
        return Completions(
          parameter.choices.map(ShellWords.quoted), typed: String(last.dropFirst(lead.count))
        ) { _ in " "
        }
      }
    }
    let options = command.parameters.map { "--\($0.name)" }
    let position = words.count - 2
    let choices =
      position < command.parameters.count && !last.hasPrefix("-")
      ? command.parameters[position].choices.map(ShellWords.quoted) : []
    return Completions(options + choices, typed: last) { _ in " " }
  }

  // MARK: Lua

  private func lua(_ text: String) -> Completions {
    let bytes = Array(text.utf8)
    let tokens = Array(LuaTokens(bytes))
    let members = LuaMembers(workspace, EntryScope(bytes, tokens))
    if let last = tokens.last, last.kind == .unfinished {
      guard let quote = bytes[last.range].first, quote == 34 || quote == 39 else {
        return Completions()
      }
      let typed = String(decoding: bytes[(last.range.lowerBound + 1)...], as: UTF8.self)
      return string(
        StringPlace(bytes, Array(tokens.dropLast())), typed, Unicode.Scalar(quote), members)
    }
    if let table = InputTable(bytes, tokens), let command = members.command(at: table.command) {
      let fields = Completions(
        command.parameters.map {
          Completion($0.name, kind: $0.kind.rawValue, detail: $0.help ?? "")
        }, typed: table.typed
      ) { _ in " = " }
      if !fields.isEmpty { return fields }
    }
    if let values = argument(bytes, tokens, members) { return values }
    if let keys = index(bytes, tokens, members) { return keys }
    guard let path = MemberPath(bytes, tokens) else { return Completions() }
    let candidates = members.candidates(of: path)
    guard path.separator == ".",
      candidates.contains(where: {
        !LuaQuoting.isIdentifier($0.text) && $0.text.hasPrefix(path.typed)
      })
    else { return Completions(candidates, typed: path.typed) }
    // A key that is not a name replaces the dot too.
    return Completions(
      candidates.filter { $0.text.hasPrefix(path.typed) }.map {
        Completion(
          LuaQuoting.member($0.text), label: $0.text, kind: $0.kind, detail: $0.detail)
      }, replacing: path.typed.count + 1)
  }

  /// The values of a parameter with choices: `build:execute{target = `.
  private func argument(
    _ bytes: [UInt8], _ tokens: [LuaTokens.Token], _ members: LuaMembers
  ) -> Completions? {
    guard let last = tokens.last, bytes[last.range].elementsEqual("=".utf8) else { return nil }
    guard case .argument(let path, let name) = StringPlace(bytes, tokens),
      let parameter = members.command(at: path)?.parameters.first(where: { $0.name == name })
    else { return nil }
    let values =
      parameter.kind == .boolean
      ? ["true", "false"]
      : parameter.choices.map {
        parameter.kind == .string ? LuaQuoting.literal($0) : $0
      }
    return values.isEmpty ? nil : Completions(values, typed: "")
  }

  /// The keys of a table after its bracket: `t[`.
  private func index(
    _ bytes: [UInt8], _ tokens: [LuaTokens.Token], _ members: LuaMembers
  ) -> Completions? {
    guard let last = tokens.last, bytes[last.range].elementsEqual("[".utf8),
      let path = MemberPath(whole: bytes, tokens.dropLast())
    else { return nil }
    let keys = members.keys(of: path).map {
      Completion(
        LuaQuoting.literal($0.text) + "]", label: $0.text, kind: $0.kind, detail: $0.detail)
    }
    return keys.isEmpty ? nil : Completions(keys, typed: "")
  }

  /// Completes the content of a string.
  private func string(
    _ place: StringPlace, _ typed: String, _ quote: Unicode.Scalar, _ members: LuaMembers
  ) -> Completions {
    let close = String(Character(quote))
    let texts = { (texts: [String], closing: String) in
      Completions(
        texts.map {
          Completion(LuaQuoting.escaped($0, quote: quote) + closing, label: $0)
        }, typed: typed)
    }
    switch place {
    case .key(let path):
      return Completions(
        members.keys(of: path).map {
          Completion(
            LuaQuoting.escaped($0.text, quote: quote) + close + "]", label: $0.text, kind: $0.kind,
            detail: $0.detail)
        }, typed: typed)
    case .module: return texts(ModuleNames(workspace.host.interpreter, typed: typed).all, close)
    case .environment: return texts(Programs.environmentNames, close)
    case .shell:
      return shell(typed).map { LuaQuoting.escaped($0, quote: quote) }
    case .program where !typed.contains("/"):
      return texts(Programs.names(startingWith: typed), close)
    case .argument(let path, let name):
      let parameter = members.command(at: path)?.parameters.first { $0.name == name }
      if let parameter, !parameter.choices.isEmpty { return texts(parameter.choices, close) }
      return FilePaths(typed, .string(quote)).completions
    default: return FilePaths(typed, .string(quote)).completions
    }
  }
}
