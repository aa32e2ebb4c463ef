import LineEditor
import LuaRuntime
import Platform
import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds what the text before the cursor may be continued with, from the live tables. It reads them
/// raw: no code of the script's runs.
struct Completer {
  private let workspace: Workspace

  init(_ workspace: Workspace) {
    self.workspace = workspace
  }

  func completions(of text: String) -> Completions {
    let line = text.drop { $0.isWhitespace }
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
    case "load": return files(last, closing: "")
    case "help", "doc":
      let names =
        Library.moduleEntries.flatMap { [$0.name, $0.shortName] }
        + ["signal", "command", "execution"].flatMap { Library.members(of: $0) }.map(\.shortName)
        + workspace.host.commands.map(\.name)
        + (words[0] == "help" ? MetaCommand.all.map(\.name) : [])
      return Completions(names, typed: last)
    case "watch", "marbles", "time": return lua(words.dropFirst().joined(separator: " "))
    default: return Completions()
    }
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
      return Completions(parameter.choices, typed: last) { _ in " " }
    }
    for parameter in command.parameters {
      for lead in ["--\(parameter.name)=", "\(parameter.name)="] where last.hasPrefix(lead) {
        return Completions(parameter.choices, typed: String(last.dropFirst(lead.count))) { _ in " "
        }
      }
    }
    let options = command.parameters.map { "--\($0.name)" }
    let position = words.count - 2
    let choices =
      position < command.parameters.count && !last.hasPrefix("-")
      ? command.parameters[position].choices : []
    return Completions(options + choices, typed: last) { _ in " " }
  }

  // MARK: Files

  private func files(_ path: String, closing: String) -> Completions {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    var entries: [String] = []
    for found in names(inFolder: folder.isEmpty ? "." : folder) ?? []
    where name.hasPrefix(".") || !found.hasPrefix(".") {
      var information = stat()
      let isFolder =
        stat(folder + found, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
      entries.append(isFolder ? found + "/" : found)
    }
    return Completions(entries, typed: name) { $0.hasSuffix("/") ? "" : closing }
  }

  // MARK: Lua

  private func lua(_ text: String) -> Completions {
    let bytes = Array(text.utf8)
    let tokens = Array(LuaTokens(bytes))
    if let last = tokens.last, last.kind == .unfinished {
      guard let quote = bytes[last.range].first, quote == 34 || quote == 39 else {
        return Completions()
      }
      let path = String(decoding: bytes[(last.range.lowerBound + 1)...], as: UTF8.self)
      return files(path, closing: String(UnicodeScalar(quote)))
    }
    let members = LuaMembers(workspace)
    if let table = InputTable(bytes, tokens), let command = members.command(at: table.command) {
      let fields = Completions(command.parameters.map(\.name), typed: table.typed) { _ in " = " }
      if !fields.isEmpty { return fields }
    }
    guard let path = MemberPath(bytes, tokens) else { return Completions() }
    return Completions(members.candidates(of: path), typed: path.typed)
  }
}
